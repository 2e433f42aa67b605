// Judges from the settings whether each part of the installation is ready for production, and what to set. For a
// request of the browser, checks what reached the server: the public URL, the proxies and the size of the body.

import { formatBytes } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getInstallation } from '@chauffeur/contract/operations/setup';
import type { Config } from '../../config.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { isLoopbackName } from '../../kernel/network/loopback.ts';
import { type Check, fail, pass, warn } from './checks.ts';

type Installation = {
  readonly config: Config;
  readonly publicUrl: string;
  /** The number of proxies that the request of the operator came through. */
  readonly proxies: number;
  readonly storage: BlobSettings;
};

type Shown = OutputOf<typeof getInstallation>['parts'][number];
/** `variables` are the settings to show. */
type Part = Omit<Shown, 'settings'> & { readonly variables: readonly string[] };
type Judgement = Pick<Part, 'level' | 'says' | 'remedy' | 'advice'>;

/** The parts in the order in which to set them up. */
export function judgeParts(installation: Installation): Part[] {
  return [
    {
      part: 'address',
      ...judgeAddress(installation),
      variables: ['CHAUFFEUR_PUBLIC_URL', 'CHAUFFEUR_TRUST_PROXY', 'CHAUFFEUR_PLAY_URL'],
    },
    { part: 'mail', ...judgeEmail(installation), variables: ['CHAUFFEUR_SMTP', 'CHAUFFEUR_MAIL_FROM'] },
    {
      part: 'scanner',
      ...judgeScanner(installation),
      variables: ['CHAUFFEUR_CLAMD', 'CHAUFFEUR_CLAMD_STREAM_LIMIT', 'CHAUFFEUR_REQUIRE_SCAN'],
    },
    { part: 'storage', ...judgeStorage(installation), variables: ['CHAUFFEUR_BLOBS', 'CHAUFFEUR_DATA'] },
    { part: 'database', ...judgeDatabase(installation), variables: ['DATABASE_URL'] },
    { part: 'backups', ...BACKUPS, variables: [] },
  ];
}

function judgeAddress({ publicUrl, proxies, config: { trustProxy } }: Installation): Judgement {
  const address = checkPublicUrl({ publicUrl });
  const trust = checkProxies({ trustProxy, proxies });
  const { protocol, host, hostname } = new URL(publicUrl);
  const https = isLoopbackName(hostname) ? 'https://games.example.com' : `https://${host}`;
  const advice = [
    ...(address.level === 'good' ? [] : [{ variable: 'CHAUFFEUR_PUBLIC_URL', value: https }]),
    ...(trust.level === 'good' ? [] : [{ variable: 'CHAUFFEUR_TRUST_PROXY', value: String(proxies) }]),
  ];
  // A proxy that ends TLS is the usual way to HTTPS.
  if (protocol === 'http:' && trustProxy === 0 && proxies === 0)
    advice.push({ variable: 'CHAUFFEUR_TRUST_PROXY', value: '1' });
  return { ...(trust.level === 'bad' ? trust : address), advice };
}

function judgeEmail({ config: { smtp, mailFrom }, publicUrl }: Installation): Judgement {
  const sender = { variable: 'CHAUFFEUR_MAIL_FROM', value: `"Chauffeur <no-reply@${domainOf(publicUrl)}>"` };
  const isDefaultSender = mailFrom.includes('@localhost');
  if (smtp === undefined)
    return {
      // On one's own computer, emails can be read in the folder.
      level: isLoopbackName(new URL(publicUrl).hostname) ? 'unsure' : 'bad',
      says: 'Email is written to a folder and not delivered, so people cannot verify an address or reset a password.',
      remedy: 'Set your SMTP server.',
      advice: [{ variable: 'CHAUFFEUR_SMTP', value: 'smtp://user:password@mail.example.com:587' }, sender],
    };
  if (isDefaultSender)
    return {
      level: 'unsure',
      says: `Email is sent from ${mailFrom}, which most SMTP servers refuse.`,
      remedy: 'Set a sender that your SMTP server may use.',
      advice: [sender],
    };
  return { level: 'good', says: `Email is sent from ${mailFrom}.`, remedy: null, advice: [] };
}

function domainOf(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isLoopbackName(hostname) ? 'example.com' : hostname;
}

function judgeScanner({ config: { clamd, requireScan } }: Installation): Judgement {
  const required = { variable: 'CHAUFFEUR_REQUIRE_SCAN', value: '1' };
  if (clamd === undefined)
    return {
      level: 'unsure',
      says: 'There is no virus scanner. Files are offered without a scan, and players see this.',
      remedy: 'Install ClamAV, and name the address of clamd.',
      advice: [{ variable: 'CHAUFFEUR_CLAMD', value: 'unix:/run/clamav/clamd.ctl' }, required],
    };
  if (!requireScan)
    return {
      level: 'good',
      says: `Uploads are scanned by clamd at ${clamd}.`,
      remedy: 'To make sure that the server never starts without a scanner, require it.',
      advice: [required],
    };
  return { level: 'good', says: `Uploads are scanned by clamd at ${clamd}.`, remedy: null, advice: [] };
}

function judgeStorage({ storage, publicUrl }: Installation): Judgement {
  if (storage.kind === 'files')
    return {
      level: 'good',
      says: `Builds, images and symbols are files in ${storage.folder}.`,
      remedy: 'To run the server on several machines, store them in S3 instead.',
      advice: [{ variable: 'CHAUFFEUR_BLOBS', value: 's3://bucket?region=eu-central-1' }],
    };
  const { bucket, endpoint } = storage;
  const isReachable = endpoint === undefined || isPublicEndpoint(endpoint, publicUrl);
  if (isReachable)
    return {
      level: 'good',
      says: `Builds, images and symbols are in the S3 bucket ${bucket}.`,
      remedy: 'Add a lifecycle rule to the bucket that aborts multipart uploads after a week.',
      advice: [],
    };
  return {
    level: 'unsure',
    says: `Players download from ${endpoint}, which may not be reachable or encrypted for them.`,
    remedy: 'Use an endpoint with https:// that players can reach.',
    advice: [{ variable: 'CHAUFFEUR_BLOBS', value: `s3://${bucket}?endpoint=https://s3.example.com` }],
  };
}

/** Names without a dot exist only in a private network. A server on this machine alone may use such a name. */
function isPublicEndpoint(endpoint: string, publicUrl: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  const site = new URL(publicUrl);
  if (isLoopbackName(site.hostname) && isLoopbackName(hostname)) return true;
  return protocol === 'https:' && hostname.includes('.') && !isLoopbackName(hostname);
}

function judgeDatabase({ config: { databaseUrl } }: Installation): Judgement {
  if (databaseUrl === undefined)
    return {
      level: 'good',
      says: 'The server runs its own PostgreSQL in the data folder, which is enough for one machine.',
      remedy: 'To run the server on several machines, use an external PostgreSQL, version 15 or newer.',
      advice: [{ variable: 'DATABASE_URL', value: 'postgresql://chauffeur:password@db.example.com/chauffeur' }],
    };
  return { level: 'good', says: 'The server uses an external PostgreSQL.', remedy: null, advice: [] };
}

const BACKUPS: Judgement = {
  level: 'info',
  says: 'The server does not back itself up.',
  remedy:
    'Run chauffeur-server backup every day, for example with cron, into a folder on another disk or into a bucket, and keep these settings as well.',
  advice: [],
};

type AddressFacts = {
  publicUrl: string;
  /** The value of CHAUFFEUR_TRUST_PROXY. */
  trustProxy: number;
  /** The number of proxies that the request of the browser came through. */
  proxies: number;
};

export function checkPublicUrl({ publicUrl }: Pick<AddressFacts, 'publicUrl'>): Check {
  const { protocol, hostname, host } = new URL(publicUrl);
  if (isLoopbackName(hostname))
    return warn(
      `Only this machine can reach the server at ${publicUrl}.`,
      'Set CHAUFFEUR_PUBLIC_URL to the address that players and developers open.',
    );
  if (protocol === 'http:')
    return fail(
      `Passwords and downloads are sent unencrypted to ${publicUrl}.`,
      `Put a proxy with a certificate in front of the server, and set CHAUFFEUR_PUBLIC_URL=https://${host}.`,
    );
  return pass(`The server is at ${publicUrl}, and connections are encrypted.`);
}

export function checkProxies({ trustProxy, proxies }: Omit<AddressFacts, 'publicUrl'>): Check {
  if (trustProxy === proxies)
    return pass(
      proxies === 0
        ? 'No proxy adds client addresses, and none is trusted.'
        : `CHAUFFEUR_TRUST_PROXY is ${trustProxy}, which is the number of proxies that add a client address.`,
    );
  const remedy = `Set CHAUFFEUR_TRUST_PROXY=${proxies}.`;
  return trustProxy < proxies
    ? fail(
        `${countOf(proxies)} a client address, but CHAUFFEUR_TRUST_PROXY is ${trustProxy}: all visitors seem to have the same address, and share its limits.`,
        remedy,
      )
    : fail(
        `${countOf(proxies)} a client address, but CHAUFFEUR_TRUST_PROXY is ${trustProxy}: visitors can choose the address that limits count.`,
        `${remedy} If you opened this page without going through the proxy, open it at the public address instead.`,
      );
}

function countOf(proxies: number): string {
  if (proxies === 0) return 'No proxy adds';
  return proxies === 1 ? '1 proxy adds' : `${proxies} proxies add`;
}

export function checkBody(received: number, expected: number): Check {
  return received === expected
    ? pass(`A request of ${formatBytes(expected)}, the size of a chunk of an upload, arrived complete.`)
    : fail(
        `Of a request of ${formatBytes(expected)}, ${formatBytes(received)} arrived.`,
        'Let the proxy forward bodies of any size without buffering.',
      );
}
