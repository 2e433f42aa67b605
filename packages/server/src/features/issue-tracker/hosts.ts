// Creates issues through the APIs of GitHub and GitLab.
import { ApiError } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { INTERNET, NotPublicError, requestPublic } from '../../kernel/network/public-request.ts';

/** Title in one line, text in Markdown. */
export type Issue = { readonly title: string; readonly body: string };

type Project = {
  readonly kind: 'github' | 'gitlab';
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Such as `owner/repository`. */
  readonly project: string;
  readonly token: string;
};

type Host = {
  readonly name: string;
  issuesOf(project: Project): string;
  headers(token: string): Readonly<Record<string, string>>;
  bodyOf(issue: Issue): object;
  /** The field of the response with the address of the issue. */
  readonly addressField: string;
};

const HOSTS: Readonly<Record<Project['kind'], Host>> = {
  // https://docs.github.com/en/rest/issues/issues#create-an-issue
  github: {
    name: 'GitHub',
    issuesOf: ({ baseUrl, project }) =>
      `${baseUrl === 'https://github.com' ? 'https://api.github.com' : `${baseUrl}/api/v3`}/repos/${project}/issues`,
    headers: (token) => ({
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    }),
    bodyOf: ({ title, body }) => ({ title, body }),
    addressField: 'html_url',
  },
  // https://docs.gitlab.com/api/issues/#new-issue
  gitlab: {
    name: 'GitLab',
    issuesOf: ({ baseUrl, project }) => `${baseUrl}/api/v4/projects/${encodeURIComponent(project)}/issues`,
    headers: (token) => ({ 'private-token': token, accept: 'application/json' }),
    bodyOf: ({ title, body }) => ({ title, description: body }),
    addressField: 'web_url',
  },
};

const TIMEOUT_MS = 15 * SECOND;
/** Of a response. An issue with its text and its people is much smaller. */
const MAX_BYTES = 1_000_000;

/** Returns the address of the new issue. Throws 4091 with what the host responded. */
export async function postIssue({ config }: Context, project: Project, issue: Issue): Promise<string> {
  const host = HOSTS[project.kind];
  const body = JSON.stringify(host.bodyOf(issue));
  const headers = {
    ...host.headers(project.token),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  let response: { status: number; text: string };
  try {
    const url = new URL(host.issuesOf(project));
    const outgoing = { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) } as const;
    const internet = { ...INTERNET, allowsPrivate: config.alertPrivateHosts };
    response = await readResponse(await requestPublic(url, outgoing, internet));
  } catch (cause) {
    const why = cause instanceof NotPublicError ? cause.message : 'it did not respond';
    const advice = cause instanceof NotPublicError ? '' : ' Check whether the issue was created before you try again.';
    throw new ApiError(4091, `${host.name} could not be reached: ${why}.${advice}`, { cause });
  }
  const address = addressOf(response, host.addressField);
  if (address === null) throw new ApiError(4091, `${host.name} did not create the issue: ${problemOf(response)}`);
  return address;
}

async function readResponse(response: Awaited<ReturnType<typeof requestPublic>>) {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error('the response is too long');
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
  } finally {
    response.destroy();
  }
}

function addressOf({ status, text }: { status: number; text: string }, field: string): string | null {
  if (status !== 201) return null;
  const address = fieldOf(text, field);
  return typeof address === 'string' && /^https?:\/\//.test(address) && URL.canParse(address) ? address : null;
}

function problemOf({ status, text }: { status: number; text: string }): string {
  switch (status) {
    case 401:
      return 'the token is wrong or has expired.';
    case 403:
      return 'the token may not create issues in this project.';
    case 404:
      return 'there is no such project, or the token has no access to it.';
    case 410:
      return 'issues are turned off in this project.';
    case 429:
      return 'too many requests. Try again later.';
    default: {
      const message = fieldOf(text, 'message');
      const detail = typeof message === 'string' ? ` (${message.slice(0, 200)})` : '';
      return `it responded with status ${status}${detail}.`;
    }
  }
}

function fieldOf(text: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}
