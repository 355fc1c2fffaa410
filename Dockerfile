# The product as one binary on a slim Debian. Build it with: docker build -t heliograph .
FROM node:24-bookworm-slim AS client
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY e2e/package.json e2e/
RUN npm ci --workspace client --include-workspace-root
COPY client client
RUN npm run build --workspace client

FROM rust:1.95-bookworm AS server
WORKDIR /src
COPY . .
COPY --from=client /src/client/dist client/dist
RUN cargo build --release --locked --package heliograph-signal

FROM debian:bookworm-slim
RUN useradd --system --create-home --home-dir /var/lib/heliograph heliograph
COPY --from=server /src/target/release/heliograph /usr/local/bin/heliograph
USER heliograph
VOLUME /var/lib/heliograph
EXPOSE 8080
ENV HELIOGRAPH_LISTEN=0.0.0.0:8080 HELIOGRAPH_DATA=/var/lib/heliograph
STOPSIGNAL SIGTERM
CMD ["heliograph", "serve"]
