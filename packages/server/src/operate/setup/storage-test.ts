// Tests the blob storage: writes, reads, lists and deletes a blob, and on S3 also one in several parts.
import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { formatBytes } from '@chauffeur/contract/format';
import { GIB, KIB, MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import type { BlobStore } from '../../kernel/blobs/store.ts';
import { HOUR } from '../../kernel/clock.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { type Check, fail, pass, warn, withDeadline } from './checks.ts';

const PREFIX = 'setup-tests/';
const SMALL_BYTES = 64 * KIB;
/** More than S3's smallest part, so that it becomes a multipart upload. */
const LARGE_BYTES = 6 * MIB;
const STEP_MS = 20_000;
/** Enough for a few of the largest builds. */
const MIN_FREE_BYTES = 20 * GIB;

type Parts = Pick<Context, 'blobs' | 'clock' | 'config' | 'log'>;
type Step = { readonly says: string; readonly failed: string; readonly run: () => Promise<boolean> };

/** What the test writes is deleted again, even if a step fails. */
export async function testStorage(ctx: Parts): Promise<Check[]> {
  const { blobs, log } = ctx;
  const { kind, location } = blobs.describe();
  const remedy =
    kind === 's3'
      ? 'Check CHAUFFEUR_BLOBS, the AWS credentials, and that the account may get, put, delete and list objects.'
      : `Make sure that the server can write to ${location}, and that the disk is not full.`;
  const keys = { small: `${PREFIX}${newId()}`, large: `${PREFIX}${newId()}` };
  const checks: Check[] = [];
  try {
    for (const { says, failed, run } of [...smallSteps(blobs, keys.small), ...largeSteps(blobs, keys.large)]) {
      const isDone = await withDeadline(STEP_MS, run()).catch((err) => {
        log.warn({ err }, 'a step of the test of the storage failed');
        return false;
      });
      checks.push(isDone ? pass(says) : fail(failed, `${remedy} The log has the reason.`));
      if (!isDone) break;
    }
  } finally {
    await cleanUp(ctx, Object.values(keys));
  }
  if (kind === 'files') checks.push(await checkDisk(ctx));
  return checks;
}

function smallSteps(blobs: BlobStore, key: string): Step[] {
  const content = randomBytes(SMALL_BYTES);
  return [
    {
      says: `A test file was written to ${blobs.describe().location}.`,
      failed: 'A test file could not be written.',
      run: async () => (await blobs.put(key, once(content))) === SMALL_BYTES,
    },
    {
      says: 'It was read back unchanged.',
      failed: 'The test file could not be read back unchanged.',
      run: async () => content.equals(await buffer(await blobs.read(key))),
    },
    {
      says: 'It was listed.',
      failed: 'The test file was not listed.',
      run: async () => {
        for await (const blob of blobs.list(PREFIX)) if (blob.key === key) return true;
        return false;
      },
    },
    ...(blobs.describe().kind === 's3' ? [signedStep(blobs, key, content)] : []),
    {
      says: 'It was deleted.',
      // Deletions are put off while a backup runs.
      failed: 'The test file was not deleted. If a backup is running, test again when it has ended.',
      run: async () => {
        await blobs.delete(key);
        return (await blobs.stat(key)) === null;
      },
    },
  ];
}

/** Players download from S3 by such URLs. Here, the server downloads: players may be in another network. */
function signedStep(blobs: BlobStore, key: string, content: Buffer): Step {
  return {
    says: 'It was downloaded by a signed URL, as players do.',
    failed: 'The test file could not be downloaded by a signed URL, as players do.',
    run: async () => {
      const url = await blobs.sign(key, { seconds: 60, filename: 'test.bin', contentType: 'application/octet-stream' });
      const response = await fetch(url ?? '', { signal: AbortSignal.timeout(STEP_MS) });
      return response.ok && content.equals(Buffer.from(await response.arrayBuffer()));
    },
  };
}

function largeSteps(blobs: BlobStore, key: string): Step[] {
  if (blobs.describe().kind !== 's3') return [];
  return [
    {
      says: 'A multipart upload was completed and deleted.',
      failed: 'A multipart upload could not be completed and deleted.',
      run: async () => {
        const begun = await blobs.begin(key);
        await blobs.complete(await blobs.append(begun, once(randomBytes(LARGE_BYTES))));
        const size = (await blobs.stat(key))?.size;
        await blobs.delete(key);
        return size === LARGE_BYTES;
      },
    },
  ];
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Also deletes what an earlier test left behind because its process was killed. */
async function cleanUp({ blobs, clock, log }: Parts, keys: readonly string[]): Promise<void> {
  try {
    await withDeadline(STEP_MS, deleteLeftovers(blobs, keys, clock.now().getTime() - HOUR));
  } catch (err) {
    log.warn({ err }, 'the files of a test of the storage could not be deleted');
  }
}

async function deleteLeftovers(blobs: BlobStore, keys: readonly string[], before: number): Promise<void> {
  const old: string[] = [];
  for await (const { key, modifiedAt } of blobs.list(PREFIX)) if (modifiedAt.getTime() < before) old.push(key);
  await Promise.all([...keys, ...old].map((key) => blobs.delete(key)));
}

async function checkDisk({ config }: Parts): Promise<Check> {
  const disk = await statfs(config.dataFolder);
  const free = disk.bavail * disk.bsize;
  return free >= MIN_FREE_BYTES
    ? pass(`${formatBytes(free)} are free.`)
    : warn(`Only ${formatBytes(free)} are free.`, 'Free some space, use a larger disk, or store blobs in S3.');
}
