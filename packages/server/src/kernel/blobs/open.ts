// Reads CHAUFFEUR_BLOBS and opens the blob store that it names.
import { join } from 'node:path';
import { openFileStore } from './filesystem.ts';
import { openS3Store } from './s3.ts';
import type { BlobSettings, BlobStore } from './store.ts';

/** Opens the store without touching disk or network; `check` reports whether it can be reached. */
export function openBlobStore(settings: BlobSettings): BlobStore {
  return settings.kind === 'files' ? openFileStore(settings) : openS3Store(settings);
}

const EXAMPLE = 's3://bucket?region=eu-central-1&endpoint=https://s3.example.com';
const PARAMETERS: readonly string[] = ['endpoint', 'region'];

/**
 * Parses CHAUFFEUR_BLOBS: `s3://bucket/prefix?endpoint=…&region=…`. The prefix, the endpoint (Amazon's by default) and
 * the region (us-east-1 by default) are optional. Without an address, blobs are files in `<dataFolder>/blobs`. Throws
 * an Error whose message names the problem and how to fix it.
 */
export function parseBlobSettings(address: string | undefined, dataFolder: string): BlobSettings {
  if (address === undefined || address === '') return { kind: 'files', folder: join(dataFolder, 'blobs') };
  return parseS3Address(address, 'CHAUFFEUR_BLOBS');
}

/**
 * Parses an argument of a command: an address like those of CHAUFFEUR_BLOBS, or else the path of a folder. `name` is
 * that of the argument, for messages.
 */
export function parseStoreArgument(text: string, name: string): BlobSettings {
  return text.startsWith('s3:') ? parseS3Address(text, name) : { kind: 'files', folder: text };
}

function parseS3Address(address: string, name: string): BlobSettings {
  if (!URL.canParse(address)) throw new Error(`${name} is not a URL. Write it like ${EXAMPLE}`);
  const url = new URL(address);
  if (url.protocol !== 's3:') throw new Error(`${name} begins with ${url.protocol}//. Write it like ${EXAMPLE}`);
  if (url.username !== '' || url.password !== '') {
    throw new Error(`${name} contains credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.`);
  }
  // A port would be taken as part of the bucket's name, which cannot have one.
  if (url.hostname === '' || url.port !== '')
    throw new Error(`${name} does not name a bucket. Write it like ${EXAMPLE}`);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new Error(`${name} has an unknown parameter ${unknown}. Use ${PARAMETERS.join(' and ')}.`);
  const endpoint = parseEndpoint(url.searchParams.get('endpoint'), name);
  const prefix = url.pathname
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');
  return {
    kind: 's3',
    bucket: url.hostname,
    region: url.searchParams.get('region') || 'us-east-1',
    ...(endpoint !== null && { endpoint }),
    ...(prefix !== '' && { prefix: `${decodeURIComponent(prefix)}/` }),
  };
}

/** Returns the address of an S3 server other than Amazon's; null if none is set. */
function parseEndpoint(endpoint: string | null, name: string): string | null {
  if (endpoint === null || endpoint === '') return null;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
    throw new Error(`The endpoint in ${name} is not a URL. Write it like https://s3.example.com`);
  }
  return endpoint;
}
