// `chauffeur doctor`: checks everything that an upload needs, and says what to fix.

import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { readStart } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import { MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { CLI_USER_AGENT, VERSION_HEADER } from '@chauffeur/contract/version';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { formatCount, problemOf, tableOf } from '../output.ts';
import { canUseProxy, proxyVariables, useProxy } from '../proxy.ts';
import { isUnencrypted } from '../settings.ts';
import { type Act, type Action, withExample } from './command.ts';
import {
  type Answer,
  type Check,
  type CheckName,
  judgeCertificate,
  judgeClock,
  judgeExpiry,
  judgeFailure,
  judgeProxy,
  judgeServer,
  judgeSpace,
  ok,
  problem,
  warning,
} from './doctor-checks.ts';

export function doctorCommand(command: Command, act: Act): Command {
  return withExample(command, 'doctor --json')
    .option('--tmp <folder>', "folder for the temporary zip of uploads (default: the system's temporary folder)")
    .action(act(doctor));
}

type Options = { tmp?: string };
type DeployInfo = OutputOf<typeof getDeployInfo>;

const doctor: Action<Options> = async (context, { tmp }) => {
  const checks = [...(await checkServer(context)), await checkDisk(tmp)];
  const problems = checks.filter(({ status }) => status === 'problem').length;
  return {
    data: { ok: problems === 0, checks },
    lines: [...checks.flatMap(formatCheck), '', formatTotal(checks, problems)],
    exitCode: problems === 0 ? 0 : 1,
  };
};

/** Stops at the first problem that makes the next checks meaningless. */
async function checkServer(context: Context): Promise<Check[]> {
  const urls = readUrls(context);
  if ('status' in urls) return [urls];
  const { url, uploadUrl } = urls;
  const proxy = checkProxy(context, [url, uploadUrl]);
  const start = [checkEncryption('address', url), proxy];
  if (proxy.status === 'problem') return start;
  const api = await checkHost('server', `${url}/tool/info`, context);
  if (api.observation === null || api.checks.some(({ status }) => status === 'problem')) {
    return [...start, ...api.checks];
  }
  const { clockDifference } = api.observation;
  const clock = clockDifference === null ? [] : [judgeClock(clockDifference)];
  const { check: key, info } = await checkKey(context);
  return [...start, ...api.checks, ...clock, key, ...(await checkUploadHost(url, uploadUrl, info, context))];
}

function readUrls({ urls }: Context): Check | ReturnType<Context['urls']> {
  try {
    return urls();
  } catch (error) {
    return checkOf('address', error);
  }
}

function checkProxy({ env }: Context, urls: readonly string[]): Check {
  try {
    useProxy(env, urls);
    return judgeProxy(proxyVariables(env), canUseProxy(env));
  } catch (error) {
    return checkOf('proxy', error);
  }
}

function checkEncryption(name: CheckName, url: string): Check {
  if (!isUnencrypted(url)) return ok(name, url);
  return warning(name, `${url} does not use https: your key is sent unencrypted.`, 'Use an https URL.');
}

/** Checks the connection, the certificate and what responds. `observation` is null if nothing does. */
async function checkHost(
  name: CheckName,
  url: string,
  { env, signal }: Context,
): Promise<{ checks: Check[]; observation: Observation | null }> {
  const hasProxy = proxyVariables(env).length > 0;
  const { host, protocol } = new URL(url);
  try {
    const observation = await requestUrl(url, signal);
    // A proxy would not let this connection through.
    const until = protocol === 'https:' && !hasProxy ? await readExpiry(url) : null;
    const checks = [
      ok('connection', `${host} responds.`),
      ...(until === null ? [] : [judgeCertificate(host, until, Date.now())]),
      judgeServer(name, new URL(url).origin, observation),
    ];
    return { checks, observation };
  } catch (error) {
    signal.throwIfAborted();
    return { checks: [judgeFailure('connection', url, error, hasProxy)], observation: null };
  }
}

async function checkKey({
  connect,
  retryBriefly,
  signal,
}: Context): Promise<{ check: Check; info: DeployInfo | null }> {
  try {
    const client = await connect();
    const info = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
    const key = describeKey(info);
    if (info.owner_verified) return { check: judgeExpiry(key, info.token?.expires_at ?? null, Date.now()), info };
    const message = `${key}, whose owner has no verified email address.`;
    return { check: problem('key', message, 'Uploads are refused until the owner opens the link in the email.'), info };
  } catch (error) {
    signal.throwIfAborted();
    return { check: checkOf('key', error), info: null };
  }
}

function describeKey({ key_ref, token, user, name }: DeployInfo): string {
  if (token !== null && token !== undefined)
    return `${key_ref}… is the upload token ${JSON.stringify(token.name)} of ${name}, for ${token.scopes.join(', ')}`;
  return user === null || user === undefined
    ? `${key_ref}… is the deploy key of ${name}`
    : `${key_ref}… is the login of ${user}, used for ${name}`;
}

async function checkUploadHost(
  url: string,
  uploadUrl: string,
  info: DeployInfo | null,
  context: Context,
): Promise<Check[]> {
  const expected = info?.urls.upload;
  const mismatch =
    expected !== undefined && expected !== uploadUrl
      ? [
          warning(
            'upload',
            `Uploads go to ${uploadUrl}, but the server expects them at ${expected}.`,
            `Set SERVICE_UPLOAD_URL=${expected}.`,
          ),
        ]
      : [];
  if (uploadUrl === url) return mismatch.length > 0 ? mismatch : [ok('upload', uploadUrl)];
  const { checks } = await checkHost('upload', `${uploadUrl}/tool/upload/sessions`, context);
  return [...mismatch, checkEncryption('upload', uploadUrl), ...checks];
}

function checkOf(name: CheckName, error: unknown): Check {
  if (!(error instanceof LocalError || error instanceof ApiError)) {
    const { message, remedy } = problemOf(error);
    return problem(name, message, remedy ?? 'Run the command again.');
  }
  const remedy = error instanceof ApiError ? ERRORS[error.code].remedy : error.remedy;
  return problem(name, error.message, remedy ?? '');
}

function formatCheck({ name, status, message, remedy }: Check): string[] {
  const [line = ''] = tableOf([[status.padEnd(7), name.padEnd(11), message]]);
  return remedy === null ? [line] : [line, `${' '.repeat(22)}${remedy}`];
}

function formatTotal(checks: readonly Check[], problems: number): string {
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  if (problems === 0 && warnings === 0) return 'Everything works.';
  return [
    ...(problems === 0 ? [] : [formatCount(problems, 'problem')]),
    ...(warnings === 0 ? [] : [formatCount(warnings, 'warning')]),
  ].join(', ');
}

// What the checks observe: the server, its certificate and the disk.

const PROBE_TIMEOUT_MS = 10_000;

/** `clockDifference` is the time of this machine minus the server's in milliseconds; null if the response has no date. */
type Observation = Answer & { clockDifference: number | null };

/** Requests `url` without credentials. Rejects as fetch does, or with TimeoutError. */
async function requestUrl(url: string, signal: AbortSignal): Promise<Observation> {
  const start = Date.now();
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': CLI_USER_AGENT },
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]),
  });
  const end = Date.now();
  const body = await readStart(response);
  const date = Date.parse(response.headers.get('date') ?? '');
  return {
    status: response.status,
    server: response.headers.get('server'),
    body,
    version: response.headers.get(VERSION_HEADER),
    location: response.headers.get('location'),
    clockDifference: Number.isNaN(date) ? null : (start + end) / 2 - date,
  };
}

/** The end of the validity of a host's certificate, in milliseconds since 1970; null if it cannot be read. */
function readExpiry(url: string): Promise<number | null> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const socket = connect({
    host: hostname,
    port: Number(port || 443),
    servername: hostname,
    timeout: PROBE_TIMEOUT_MS,
  });
  const finish = (until: number | null) => {
    socket.destroy();
    resolve(until);
  };
  socket.on('error', () => finish(null)).on('timeout', () => finish(null));
  socket.on('secureConnect', () => {
    const until = Date.parse(socket.getPeerCertificate().valid_to);
    finish(Number.isNaN(until) ? null : until);
  });
  return promise;
}

/** Checks the folder for the temporary zip: by default the system's temporary folder. */
async function checkDisk(tmp: string | undefined): Promise<Check> {
  const parent = tmp ?? tmpdir();
  try {
    const folder = await mkdtemp(join(parent, 'chauffeur-'));
    try {
      await writeFile(join(folder, 'probe'), Buffer.alloc(MIB));
      const { bavail, bsize } = await statfs(folder);
      return judgeSpace(parent, bavail * bsize);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return problem(
        'disk',
        `There is no space left in ${parent}.`,
        'Free some space, or use another folder with --tmp.',
      );
    return problem('disk', `${parent} cannot be written: ${message}`, 'Use another folder with --tmp.');
  }
}
