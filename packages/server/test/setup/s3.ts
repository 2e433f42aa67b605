// Starts a real S3 server with an empty bucket for tests: versitygw, which checks signatures and keeps its objects in a folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const BUCKET = 'chauffeur';
const REGION = 'us-east-1';
const ENVIRONMENT = { AWS_ACCESS_KEY_ID: 'chauffeur-test', AWS_SECRET_ACCESS_KEY: 'a secret of the tests' };
const START_MILLISECONDS = 15_000;

/** Why a test is skipped when `startS3` gives null. */
export const S3_MISSING = 'skipped: versitygw not found';

export type S3Server = {
  /** The value of CHAUFFEUR_BLOBS. */
  url: string;
  /** Credentials, as the AWS SDK looks for them. */
  env: typeof ENVIRONMENT;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
};

/**
 * Starts the server that CHAUFFEUR_TEST_VERSITYGW names, else `versitygw` on the PATH; null when there is none. Rejects
 * instead when CI=true, where nothing may be missing.
 */
export async function startS3(): Promise<S3Server | null> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-s3-'));
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
    await untilAnswering(endpoint, server);
    await createBucket(endpoint);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `s3://${BUCKET}?endpoint=${encodeURIComponent(endpoint)}&region=${REGION}`, env: ENVIRONMENT, stop };
}

/** The server cannot tell which port it took, so it is given one that was free a moment ago. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The probe listens on no port');
  return address.port;
}

/** Resolves to null when there is no such program. */
async function spawnServer(folder: string, port: number): Promise<ChildProcess | null> {
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')];
  await mkdir(data);
  // Metadata beside the objects: not every temporary folder has extended attributes.
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
  // Whatever ends the tests must not leave the server behind.
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  server.once('exit', () => process.removeListener('exit', kill));
  return server;
}

async function untilAnswering(endpoint: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MILLISECONDS;
  for (;;) {
    try {
      await fetch(endpoint);
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`versitygw ended with ${server.exitCode}`, { cause: error });
      if (Date.now() > deadline) throw new Error('versitygw does not answer', { cause: error });
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
