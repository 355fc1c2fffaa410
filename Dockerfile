# The product as one static binary and nothing else. Build it with: docker build -t heliograph .
FROM node:24-bookworm-slim AS client
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY e2e/package.json e2e/
RUN npm ci --workspace client --include-workspace-root
COPY client client
RUN npm run build --workspace client

FROM rust:1.95-bookworm AS server
RUN apt-get update && apt-get install --yes --no-install-recommends musl-tools \
    && rustup target add "$(uname -m)-unknown-linux-musl"
WORKDIR /src
COPY . .
COPY --from=client /src/client/dist client/dist
RUN cargo build --release --locked --package heliograph-signal --target "$(uname -m)-unknown-linux-musl" \
    && install -D "target/$(uname -m)-unknown-linux-musl/release/heliograph" /image/usr/local/bin/heliograph \
    && install -D -m 644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt
# The licences of what is in the binary and in the page, from the sources of both.
COPY --from=client /usr/local/bin/node /usr/local/bin/
COPY --from=client /src/node_modules node_modules
COPY --from=client /src/client/node_modules client/node_modules
RUN install -D -m 644 LICENSE /image/usr/share/doc/heliograph/LICENSE \
    && node scripts/third-party-licences.mjs "$(uname -m)-unknown-linux-musl" \
        >/image/usr/share/doc/heliograph/THIRD-PARTY-LICENSES
# The folders are made here, because the image has no program that could make them.
RUN install -d -m 1777 /image/tmp && mkdir /data

FROM scratch
COPY --from=server /image /
COPY --from=server --chown=999:999 /data /var/lib/heliograph
USER 999:999
VOLUME /var/lib/heliograph
EXPOSE 8080
ENV HELIOGRAPH_LISTEN=0.0.0.0:8080 HELIOGRAPH_DATA=/var/lib/heliograph
STOPSIGNAL SIGTERM
# It knows the variables of the container, and no flags behind its name: set the server up by variables.
HEALTHCHECK CMD ["/usr/local/bin/heliograph", "health"]
CMD ["/usr/local/bin/heliograph", "serve"]
