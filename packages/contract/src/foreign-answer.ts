// Explains responses that are not of this service, but of a proxy, a firewall or another website between it and the
// client.

export type ForeignAnswer = {
  readonly status: number;
  /** The header `Server`, which names the program that answered. */
  readonly server: string | null;
  /** The header `Location` of a redirect. */
  readonly location: string | null;
  /** The beginning of the body. */
  readonly body: string;
};

export type Explanation = { readonly message: string; readonly remedy: string };

const MAX_SHOWN = 120;

const REASONS: Readonly<Record<number, readonly [reason: string, remedy: string]>> = {
  401: ['wants a user name and password', 'Ask its administrator to let requests to the API through without them.'],
  403: ['blocks the request', 'Ask its administrator to allow requests of this machine to the API.'],
  404: ['has no such address', 'Check the address of the server.'],
  407: [
    'requires a user name and password',
    'Use an address such as http://user:password@proxy.example.com:3128 in HTTPS_PROXY.',
  ],
  408: ['waited too long for the request', 'Try again, or ask its administrator to allow more time for uploads.'],
  411: ['refuses requests without a length', 'Ask its administrator to allow uploads.'],
  413: [
    'refuses the request because it is too large',
    'Ask its administrator to allow requests of 100 MB, in nginx by client_max_body_size.',
  ],
  429: ['refuses the request because there were too many', 'Wait a few minutes, then try again.'],
  502: ['does not reach the server', 'Check that the server behind it is running.'],
  503: ['says that the server is not available', 'Check that the server behind it is running.'],
  504: ['got no response from the server in time', 'Check that the server behind it is running.'],
};

/** Says who answered, with what, and what to do. */
export function explainAnswer({ status, server, location, body }: ForeignAnswer): Explanation {
  const who = server === null ? 'A proxy or firewall' : `A proxy or firewall (${shorten(server)})`;
  if (status >= 300 && status < 400) {
    const target = location === null ? 'another address' : shorten(location);
    return {
      message: `The server redirects to ${target} (status ${status}).`,
      remedy:
        'If it is an address of the server, use it instead. If it is a page to sign in to the network, do so first.',
    };
  }
  const title = titleOf(body);
  const shown = title === null ? '' : ` with the page “${title}”`;
  const [reason, remedy] = REASONS[status] ?? [];
  if (reason !== undefined && remedy !== undefined)
    return { message: `${who} ${reason}: it answered ${status}${shown}.`, remedy };
  const content = describeContent(body);
  if (status < 300)
    return {
      message: `The response is not from a Chauffeur server: status ${status} with ${title === null ? content : `the page “${title}”`}${server === null ? '' : `, from ${shorten(server)}`}.`,
      remedy: 'Check the address of the server. If the network has a page to sign in, do so first.',
    };
  return {
    message: `${who} answered ${status}${shown} instead of the server.`,
    remedy:
      status >= 500
        ? 'Check that the server behind it is running.'
        : 'Ask its administrator, or check the address of the server.',
  };
}

function describeContent(body: string): string {
  if (body.trim() === '') return 'an empty body';
  return /^\s*</.test(body) ? 'a web page' : 'another body';
}

function titleOf(body: string): string | null {
  const [, title = ''] = /<title[^>]{0,200}>([^<]{1,500})/i.exec(body) ?? [];
  return shorten(title) || null;
}

/** Foreign text as one short line. */
function shorten(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
