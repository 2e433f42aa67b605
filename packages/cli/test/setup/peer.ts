// A small server with the upload protocol over real HTTP, which can inject faults.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * `reset` closes the connection while the body is received; `lose` handles the request, then closes it instead of
 * responding.
 */
export type Fault = 'reset' | 'lose' | { status: number; code: number; data?: Record<string, number>; header?: string };
export type Kind =
  | 'info'
  | 'build'
  | 'builds'
  | 'sessions'
  | 'open'
  | 'plan'
  | 'chunk'
  | 'single'
  | 'file'
  | 'symbols'
  | 'symbolList'
  | 'media';
export type ReceivedRequest = {
  kind: Kind;
  method: string;
  range: string;
  fields: [string, string][];
  query: URLSearchParams;
};

export type Peer = {
  /** The base URL of the API, ending in /api/v1. */
  url: string;
  /** Every request, in order. */
  requests: ReceivedRequest[];
  /** The bytes of each complete upload. */
  files: Buffer[];
  /** Applies the faults to the next requests of this kind, in order. */
  fail(kind: Kind, ...faults: Fault[]): void;
  /** Open sessions by id; tests can add and remove sessions. */
  sessions: Map<string, { checksum: string; size: number; bytes: Buffer; file_uid?: string }>;
  /** The responses to `GET /tool/files/…`, in order; the last one is repeated. */
  scans: { status: string; detail?: string }[];
  /** The response to `GET /tool/builds`. */
  builds: Record<string, unknown>[];
  /** The channels in the response to `GET /tool/info`. */
  channels: Record<string, unknown>[];
  /** The checksums in the response to `GET /tool/symbols`, each of a compiled symbol file. */
  symbols: string[];
  /** Called when a request has been read. */
  onRequest: (kind: Kind) => void;
};

export const BUILD_ID = '01900000-0000-7000-8000-000000000001';
export const APP_ID = '01900000-0000-7000-8000-000000000002';
export const CRASHES_URL = 'https://games.example.com/api/v1/public/crashes';
export const EVENTS_URL = 'https://games.example.com/api/v1/public/events';
export const KEY = { access: 'access-token-123', secret: 'very-secret-key-456' };

export async function startPeer(t: TestContext): Promise<Peer> {
  const faults: { kind: Kind; fault: Fault }[] = [];
  const peer: Peer = {
    url: '',
    requests: [],
    files: [],
    fail: (kind, ...list) => faults.push(...list.map((fault) => ({ kind, fault }))),
    sessions: new Map(),
    scans: [{ status: 'clean' }],
    builds: [{ build_id: BUILD_ID, build_type: 'game', files: [] }],
    channels: [],
    symbols: [],
    onRequest: () => {},
  };
  const server = createServer((request, response) => {
    const kind = kindOf(request);
    const at = faults.findIndex((entry) => entry.kind === kind);
    const [entry] = at < 0 ? [] : faults.splice(at, 1);
    void serve(peer, kind, entry?.fault, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  return peer;
}

function kindOf({ method, url = '', headers }: IncomingMessage): Kind {
  const path = url.split('?')[0]?.replace('/api/v1/tool/', '') ?? '';
  if (path === 'upload/files') return headers['x-upload-session-id'] === undefined ? 'single' : 'chunk';
  if (path === 'upload/sessions') return method === 'GET' ? 'sessions' : 'open';
  if (path === 'upload/plans') return 'plan';
  if (path.startsWith('files/')) return 'file';
  if (path === 'upload/build') return 'build';
  if (path.startsWith('media')) return 'media';
  if (path === 'symbols') return 'symbolList';
  return path === 'upload/symbols' ? 'symbols' : path === 'builds' ? 'builds' : 'info';
}

async function serve(
  peer: Peer,
  kind: Kind,
  fault: Fault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) {
      pieces.push(piece as Buffer);
      if (fault === 'reset') return request.socket.destroy();
    }
  } catch {
    return; // The client disconnected, as when it is interrupted.
  }
  if (fault === 'reset') return request.socket.destroy();
  const body = Buffer.concat(pieces);
  const { fields, file } = partsOf(request.headers['content-type'] ?? '', body);
  const query = new URL(request.url ?? '', 'http://peer').searchParams;
  const range = request.headers['content-range'] ?? '';
  peer.requests.push({ kind, method: request.method ?? '', range, fields, query });
  peer.onRequest(kind);
  if (typeof fault === 'object') return refuse(response, fault);
  const answer = answerOf(peer, kind, {
    fields,
    file,
    query,
    range,
    session: String(request.headers['x-upload-session-id']),
  });
  if (fault === 'lose') return request.socket.destroy();
  if ('code' in answer) return refuse(response, answer as Fault & object);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data: answer }));
}

function refuse(response: ServerResponse, { status, code, data, header }: Exclude<Fault, string>): void {
  const headers = { 'x-request-id': 'req-1', ...(header !== undefined && { 'retry-after': header }) };
  const error = { code, message: `Refused with ${code}.`, ...(data && { data }) };
  response.writeHead(status, headers).end(JSON.stringify({ success: false, error, ...(data && { data }) }));
}

type Request = { fields: [string, string][]; file: Buffer; query: URLSearchParams; range: string; session: string };

function answerOf(peer: Peer, kind: Kind, request: Request): object {
  const fields = Object.fromEntries(request.fields);
  switch (kind) {
    case 'info':
      return {
        app_id: APP_ID,
        name: 'Owls',
        slug: 'owls',
        url: 'https://games.example.com/g/owls',
        channels: peer.channels,
        urls: { crashes: CRASHES_URL, events: EVENTS_URL },
      };
    case 'build':
      return { build_id: BUILD_ID, app_id: APP_ID, title: fields.title || fields.version, created: true };
    case 'builds':
      return listBuilds(peer, Number(request.query.get('page') ?? 1), Number(request.query.get('page_size')));
    case 'sessions':
      return { sessions: [...peer.sessions].map(([id, session]) => sessionRecord(id, session)) };
    case 'open': {
      const id = randomUUID();
      const session = { checksum: fields.checksum ?? '', size: Number(fields.total_size), bytes: Buffer.alloc(0) };
      peer.sessions.set(id, session);
      return sessionRecord(id, session);
    }
    case 'plan':
      // A server from before there were such plans.
      return { status: 404, code: 4040 };
    case 'chunk':
      return takeChunk(peer, request);
    case 'single':
      return complete(peer, request.file, fields.checksum ?? '');
    case 'file':
      return {
        file_uid: request.query.get('x'),
        message: 'Scanned.',
        ...(peer.scans.length > 1 ? peer.scans.shift() : peer.scans[0]),
      };
    case 'symbols':
      peer.files.push(request.file);
      return { symbols: [{ symbol_uid: APP_ID, debug_file: 'game', debug_id: 'ABC0' }] };
    case 'symbolList':
      return { symbols: peer.symbols.map((checksum) => ({ checksum, state: 'compiled' })) };
    default:
      return { cover: null, thumbnail: null, gallery: [], images: [], added: [] };
  }
}

function listBuilds({ builds }: Peer, page: number, size: number): object {
  const own = builds
    .slice((page - 1) * size, page * size)
    .map((build) => ({ app_id: APP_ID, channel: 'stable', ...build }));
  return { builds: own, pagination: { page, page_size: size, total: builds.length } };
}

function sessionRecord(
  id: string,
  { checksum, size, bytes }: { checksum: string; size: number; bytes: Buffer },
): object {
  return {
    session_id: id,
    checksum,
    expected_size: size,
    current_size: bytes.length,
    expires_at: '2030-01-01T00:00:00.000Z',
  };
}

function takeChunk(peer: Peer, { file, range, session: id }: Request): object {
  const session = peer.sessions.get(id);
  if (session === undefined) return { status: 404, code: 4045 };
  const start = Number(/^bytes (\d+)-/.exec(range)?.[1]);
  const isRepeatedEnd = session.file_uid !== undefined && start + file.length === session.size;
  if (isRepeatedEnd) return { file_uid: session.file_uid, checksum: session.checksum, status: 'pending' };
  if (start !== session.bytes.length) return { status: 409, code: 4044, data: { current_size: session.bytes.length } };
  session.bytes = Buffer.concat([session.bytes, file]);
  if (session.bytes.length < session.size) return { session_id: id, current_size: session.bytes.length };
  const answer = complete(peer, session.bytes, session.checksum);
  if ('file_uid' in answer) session.file_uid = String(answer.file_uid);
  return answer;
}

function complete(peer: Peer, bytes: Buffer, checksum: string): object {
  if (createHash('sha256').update(bytes).digest('hex') !== checksum) return { status: 400, code: 4046 };
  peer.files.push(bytes);
  return { file_uid: randomUUID(), checksum, status: 'pending' };
}

/** The fields of a form in their order, and the bytes of its last file part, which is named `file`. */
function partsOf(contentType: string, body: Buffer): { fields: [string, string][]; file: Buffer } {
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { fields: [...new URLSearchParams(body.toString())], file: Buffer.alloc(0) };
  }
  if (contentType.startsWith('application/json')) {
    return { fields: Object.entries(JSON.parse(body.toString()) as Record<string, string>), file: Buffer.alloc(0) };
  }
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1];
  const fields: [string, string][] = [];
  let file: Buffer = Buffer.alloc(0);
  if (boundary === undefined) return { fields, file };
  const mark = Buffer.from(`--${boundary}`);
  for (let at = 0; ; ) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) return { fields, file };
    const part = body.subarray(at + mark.length + 2, next - 2);
    const split = part.indexOf('\r\n\r\n');
    const head = part.toString('utf8', 0, split);
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const filename = /filename="([^"]*)"/.exec(head)?.[1];
    if (filename !== undefined) file = part.subarray(split + 4);
    fields.push([name, filename ?? part.toString('utf8', split + 4)]);
    at = next;
  }
}
