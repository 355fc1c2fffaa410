import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import type { OwnCertificate } from '../../protocol/bindings'
import { ButtonLink } from '../../ui/button'
import { NarrowPage } from '../../ui/narrow-page'
import css from './certificate-page.module.css'

/** How a person goes on in each browser. The names of the browsers are the same in every language. */
const WAYS: readonly { browsers: readonly string[]; way: MessageDescriptor }[] = [
  { browsers: ['Safari'], way: msg`Choose “Show Details”, then “visit this website”, and confirm.` },
  {
    browsers: ['Chrome', 'Edge', 'Samsung Internet'],
    way: msg`Choose “Advanced”, then “Proceed” or “Continue”.`,
  },
  { browsers: ['Firefox'], way: msg`Choose “Advanced”, then “Accept the Risk and Continue”.` },
]

/** What the browser's warning about the server's own certificate means, and what to do. `null`: the server made none. */
export function CertificatePage({ certificate }: { certificate: OwnCertificate | null }) {
  return (
    <NarrowPage heading={t`The certificate warning`}>
      {certificate ? <Own certificate={certificate} /> : <None />}
    </NarrowPage>
  )
}

function None() {
  return (
    <p className={css.sub}>
      {t`This server has made no certificate of its own. If your browser warns about it, do not go on.`}
    </p>
  )
}

function Own({ certificate }: { certificate: OwnCertificate }) {
  const ends = i18n.date(new Date(certificate.ends), { dateStyle: 'long' })
  return (
    <>
      <p className={css.sub}>
        {t`The server made its certificate itself, and no authority that your browser knows vouches for it. So the browser warns. The connection is encrypted all the same, but you have to see for yourself that it leads to the right machine.`}
      </p>
      <section className={css.card}>
        <h2>{t`Compare`}</h2>
        <p>
          {t`Open this page on the computer that runs the server. Its fingerprint must be the one that the other device's browser shows, where the warning leads to the certificate.`}
        </p>
        <dl className={css.facts}>
          <dt>{t`Fingerprint (SHA-256)`}</dt>
          <dd className={css.fingerprint}>
            <Fingerprint of={certificate.fingerprint} />
          </dd>
          <dt>{t`Names and addresses`}</dt>
          <dd>
            {[...certificate.names, ...certificate.addresses].map((name) => (
              <bdi key={name}>{name}</bdi>
            ))}
          </dd>
          <dt>{t`Valid until`}</dt>
          <dd>{ends}</dd>
        </dl>
      </section>
      <section className={css.card}>
        <h2>{t`Go on`}</h2>
        <dl className={css.facts}>
          {WAYS.map(({ browsers, way }) => (
            <div key={way.id}>
              <dt>
                <bdi>{browsers.join(' · ')}</bdi>
              </dt>
              <dd>{i18n._(way)}</dd>
            </div>
          ))}
        </dl>
        <p>{t`Do so only here: for a site on the internet, such a warning is a good reason to leave.`}</p>
      </section>
      <section className={css.card}>
        <h2>{t`Trust it for good`}</h2>
        <p>
          {t`A computer warns no more when its system trusts the certificate: download it, open it, and trust it in Keychain Access on a Mac, or under “Trusted Root Certification Authorities” on Windows. Without that, as on a phone, the browser may ask again: Chrome does so after about a week; Firefox on a computer remembers your choice.`}
        </p>
        <ButtonLink
          icon={Download}
          className={css.download}
          href={`data:application/x-x509-ca-cert,${encodeURIComponent(certificate.pem)}`}
          download="heliograph.crt"
        >
          {t`Download the certificate`}
        </ButtonLink>
      </section>
    </>
  )
}

/** In rows of eight pairs, which are the same on every screen. */
function Fingerprint({ of }: { of: string }) {
  const pairs = of.split(':')
  const rows = [0, 8, 16, 24].map((from) => pairs.slice(from, from + 8).join(' '))
  return rows.map((row) => (
    <code key={row} dir="ltr">
      {row}
    </code>
  ))
}
