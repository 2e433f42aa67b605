// Starts a real S3 server with an empty bucket for tests: versitygw, which verifies signatures and stores objects in a
// folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findFreePort } from './free-port.ts';

const BUCKET = 'chauffeur';
const REGION = 'us-east-1';
const ENVIRONMENT = { AWS_ACCESS_KEY_ID: 'chauffeur-test', AWS_SECRET_ACCESS_KEY: 'a secret of the tests' };
const START_MILLISECONDS = 15_000;

/** The reason to skip a test if `startS3` returns null. */
export const S3_MISSING = 'skipped: versitygw not found';

export type S3Server = {
  /** The folder of the bucket, in which each object is a file. */
  bucket: string;
  port: number;
  /** The value of CHAUFFEUR_BLOBS. */
  url: string;
  /** The environment variables from which the AWS SDK reads credentials. */
  env: typeof ENVIRONMENT;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
};

/**
 * Starts the program in CHAUFFEUR_TEST_VERSITYGW, or else `versitygw` from the PATH. Returns null if there is none;
 * with CI=true, throws instead. `within` is a folder in which it makes its own.
 */
export async function startS3({ within = tmpdir() } = {}): Promise<S3Server | null> {
  const folder = await mkdtemp(join(within, 'chauffeur-s3-'));
  const port = await findFreePort();
  const server = await spawnServer(folder, port);
  if (server === null) {
    await rm(folder, { recursive: true });
    if (process.env.CI === 'true') throw new Error('versitygw not found: put it on the PATH');
    return null;
  }
  const stop = async () => {
    await end(server);
    await rm(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await untilReady(endpoint, server);
    await createBucket(endpoint);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `s3://${BUCKET}?endpoint=${encodeURIComponent(endpoint)}&region=${REGION}`,
    env: ENVIRONMENT,
    bucket: join(folder, 'data', BUCKET),
    port,
    stop,
  };
}

/** Returns null if the program does not exist. */
async function spawnServer(folder: string, port: number): Promise<ChildProcess | null> {
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')];
  await mkdir(data);
  // Metadata has a separate folder, because not every temporary folder supports extended attributes.
  await mkdir(sidecar);
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = ENVIRONMENT;
  const program = process.env.CHAUFFEUR_TEST_VERSITYGW || 'versitygw';
  const parameters = ['--port', `127.0.0.1:${port}`, '--region', REGION, '--keep-alive', '--quiet'];
  const server = spawn(program, [...parameters, 'posix', '--sidecar', sidecar, data], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, ROOT_ACCESS_KEY: AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: AWS_SECRET_ACCESS_KEY },
  });
  try {
    await once(server, 'spawn');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  // However the tests end, the server must not keep running.
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  server.once('exit', () => process.removeListener('exit', kill));
  return server;
}

async function untilReady(endpoint: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MILLISECONDS;
  for (;;) {
    try {
      await fetch(endpoint);
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`versitygw ended with ${server.exitCode}`, { cause: error });
      if (Date.now() > deadline) throw new Error('versitygw does not respond', { cause: error });
    }
    await wait(20);
  }
}

async function createBucket(endpoint: string): Promise<void> {
  const credentials = {
    accessKeyId: ENVIRONMENT.AWS_ACCESS_KEY_ID,
    secretAccessKey: ENVIRONMENT.AWS_SECRET_ACCESS_KEY,
  };
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  try {
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } finally {
    client.destroy();
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
