// Creates issues and compares commits through the APIs of GitHub and GitLab.
import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { readWebAddress } from '@chauffeur/contract/web-address';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { oneLine } from '../../kernel/email/html-email.ts';
import { INTERNET, NotPublicError, requestPublic } from '../../kernel/network/public-request.ts';

/** Title in one line, text in Markdown. */
export type Issue = { readonly title: string; readonly body: string };

export type Project = {
  readonly kind: 'github' | 'gitlab';
  /** The URL has no trailing slash. */
  readonly baseUrl: string;
  /** The path of the project, such as `owner/repository`. */
  readonly project: string;
  readonly token: string;
};

type Host = {
  readonly name: string;
  /** The address of the project in the API. */
  projectOf(project: Project): string;
  headers(token: string): Readonly<Record<string, string>>;
  bodyOf(issue: Issue): object;
  /** The field of the response with the address of the issue. */
  readonly addressField: string;
  /** The path of a comparison below the project. */
  comparisonOf(range: CommitRange): string;
  readComparison(body: unknown): Comparison | null;
};

const HOSTS: Readonly<Record<Project['kind'], Host>> = {
  // https://docs.github.com/en/rest/issues/issues#create-an-issue
  github: {
    name: 'GitHub',
    projectOf: ({ baseUrl, project }) =>
      `${baseUrl === 'https://github.com' ? 'https://api.github.com' : `${baseUrl}/api/v3`}/repos/${project}`,
    headers: (token) => ({
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    }),
    bodyOf: ({ title, body }) => ({ title, body }),
    addressField: 'html_url',
    // https://docs.github.com/en/rest/commits/commits#compare-two-commits
    comparisonOf: ({ base, head }) => `/compare/${base}...${head}`,
    readComparison: readGithub,
  },
  // https://docs.gitlab.com/api/issues/#new-issue
  gitlab: {
    name: 'GitLab',
    projectOf: ({ baseUrl, project }) => `${baseUrl}/api/v4/projects/${encodeURIComponent(project)}`,
    headers: (token) => ({ 'private-token': token, accept: 'application/json' }),
    bodyOf: ({ title, body }) => ({ title, description: body }),
    addressField: 'web_url',
    // https://docs.gitlab.com/api/repositories/#compare-branches-tags-or-commits
    comparisonOf: ({ base, head }) => `/repository/compare?from=${base}&to=${head}`,
    readComparison: readGitlab,
  },
};

const TIMEOUT_MS = 15 * SECOND;
/** The limit of a response. An issue with its text and its people is much smaller. */
const MAX_ISSUE_BYTES = 1_000_000;
/** A comparison has the changes of up to 300 files. */
const MAX_COMPARISON_BYTES = 20_000_000;

/** Returns the address of the new issue. Throws `issueTrackerFailed` with what the host responded. */
export async function postIssue(ctx: Context, project: Project, issue: Issue): Promise<string> {
  const host = HOSTS[project.kind];
  const body = JSON.stringify(host.bodyOf(issue));
  const response = await send(ctx, project, '/issues', {
    body,
    maxBytes: MAX_ISSUE_BYTES,
    advice: ' Check whether the issue was created before you try again.',
  });
  const address = addressOf(response, host.addressField);
  if (address !== null) return address;
  throw errors.issueTrackerFailed(
    `${host.name} did not create the issue: ${problemOf(project, response, ISSUE_PROBLEMS)}`,
  );
}

export type CommitRange = { readonly base: string; readonly head: string };

type Commit = {
  readonly id: string;
  readonly title: string;
  readonly author: string;
  readonly committed_at: string | null;
  readonly url: string | null;
};

/** `commits` are the newest, newest first; `more` is the number of others. */
export type Comparison = { readonly commits: Commit[]; readonly more: number; readonly url: string | null };

const MAX_COMMITS = 100;

/** The commits that `head` has and `base` does not. Throws `issueTrackerFailed` with what the host responded. */
export async function getCommits(ctx: Context, project: Project, { base, head }: CommitRange): Promise<Comparison> {
  const host = HOSTS[project.kind];
  const range = { base: encodeURIComponent(base), head: encodeURIComponent(head) };
  const response = await send(ctx, project, host.comparisonOf(range), { maxBytes: MAX_COMPARISON_BYTES });
  const comparison = response.status === 200 ? host.readComparison(parse(response.text)) : null;
  if (comparison !== null) return comparison;
  throw errors.issueTrackerFailed(
    `${host.name} did not compare the commits: ${problemOf(project, response, COMMIT_PROBLEMS)}`,
  );
}

/** Sends a GET, or with a body a POST. */
async function send(
  { config }: Context,
  project: Project,
  path: string,
  { body, advice = '', maxBytes }: { body?: string; advice?: string; maxBytes: number },
): Promise<{ status: number; text: string }> {
  const host = HOSTS[project.kind];
  const headers = {
    ...host.headers(project.token),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
  };
  const method = body === undefined ? ('GET' as const) : ('POST' as const);
  try {
    const url = new URL(host.projectOf(project) + path);
    const outgoing = { method, headers, ...(body !== undefined && { body }), signal: AbortSignal.timeout(TIMEOUT_MS) };
    const internet = { ...INTERNET, allowsPrivate: config.alertPrivateHosts };
    return await readResponse(await requestPublic(url, outgoing, internet), maxBytes);
  } catch (cause) {
    const isPrivate = cause instanceof NotPublicError;
    const why = isPrivate ? cause.message : 'it did not respond';
    throw errors.issueTrackerFailed(`${host.name} could not be reached: ${why}.${isPrivate ? '' : advice}`, { cause });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: every field of a response is checked when it is read.
type Json = any;

function readGithub(body: Json): Comparison | null {
  if (!Array.isArray(body?.commits)) return null;
  const commits = body.commits.slice(-MAX_COMMITS).map((commit: Json) => ({
    id: textOf(commit?.sha),
    title: titleOf(commit?.commit?.message),
    author: textOf(commit?.commit?.author?.name),
    committed_at: timeOf(commit?.commit?.committer?.date),
    url: webAddress(commit?.html_url),
  }));
  return comparisonOf(commits, Number(body.total_commits), webAddress(body.html_url));
}

function readGitlab(body: Json): Comparison | null {
  if (!Array.isArray(body?.commits)) return null;
  const commits = body.commits.slice(-MAX_COMMITS).map((commit: Json) => ({
    id: textOf(commit?.id),
    title: titleOf(commit?.title),
    author: textOf(commit?.author_name),
    committed_at: timeOf(commit?.committed_date ?? commit?.created_at),
    url: webAddress(commit?.web_url),
  }));
  return comparisonOf(commits, body.commits.length, webAddress(body.web_url));
}

/** `commits` are the newest, oldest first: a hostile host can send millions. */
function comparisonOf(commits: Commit[], total: number, url: string | null): Comparison {
  const more = Math.max(0, (Number.isSafeInteger(total) ? total : 0) - commits.length);
  return { commits: commits.toReversed(), more, url };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LIMITS.titleLength).toWellFormed() : '';
}

function titleOf(message: unknown): string {
  return textOf(typeof message === 'string' ? message.split('\n')[0] : undefined);
}

function timeOf(value: unknown): string | null {
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** An address that can be shown as a link: `https://github.com@evil.example` would look like another one. */
function webAddress(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= LIMITS.issueUrlLength ? readWebAddress(value) : null;
  return url?.href ?? null;
}

async function readResponse(response: Awaited<ReturnType<typeof requestPublic>>, maxBytes: number) {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > maxBytes) throw new Error('the response is too long');
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
  } finally {
    response.destroy();
  }
}

function addressOf({ status, text }: { status: number; text: string }, field: string): string | null {
  if (status !== 201) return null;
  return webAddress(fieldOf(text, field));
}

type Problems = { readonly 403: string; readonly 404: string };

const ISSUE_PROBLEMS: Problems = {
  403: 'the token may not create issues in this project.',
  404: 'there is no such project, or the token has no access to it.',
};
const COMMIT_PROBLEMS: Problems = {
  403: 'the token may not read the code of this project.',
  404: 'it does not know one of the commits, or the token may not read the code of this project.',
};

type Response = { readonly status: number; readonly text: string };

function problemOf({ token }: Project, { status, text }: Response, problems: Problems): string {
  switch (status) {
    case 401:
      return 'the token is wrong or has expired.';
    case 403:
      return problems[403];
    case 404:
      return problems[404];
    case 410:
      return 'issues are turned off in this project.';
    case 429:
      return 'too many requests. Try again later.';
    default: {
      const message = fieldOf(text, 'message');
      // A host could repeat the token, which not everyone who creates issues may know.
      const detail = typeof message === 'string' ? ` (${oneLine(message.replaceAll(token, '…'))})` : '';
      return `it responded with status ${status}${detail}.`;
    }
  }
}

function fieldOf(text: string, name: string): unknown {
  const value = parse(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
