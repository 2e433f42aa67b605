// Sends crash reports in the same way as the crash reporters of games.
import { gzipSync } from 'node:zlib';

/** The server, the game and the build of reports. */
export type Target = { readonly api: string; readonly gameUid: string; readonly buildId: string };

type Upload = { url: string };
type Created = { id: string; read_token: string; uploads: { dump?: Upload; log?: Upload; attachments?: Upload[] } };

/**
 * Reports like a game that uses the API: creates a report, then uploads the dump and the log to the URLs in the
 * response.
 */
export async function reportByApi(
  { api, gameUid, buildId }: Target,
  report: Record<string, unknown>,
  { dump, log }: { dump: Uint8Array<ArrayBuffer>; log: string },
): Promise<Created> {
  const created = await send(`${api}/public/crashes`, {
    method: 'POST',
    headers: { 'x-app-id': gameUid, 'x-build-id': buildId, 'content-type': 'application/json' },
    body: JSON.stringify({ has_dump: true, has_log: true, ...report }),
  });
  const { data } = (await created.json()) as { data: Created };
  await send(data.uploads.dump?.url ?? '', { method: 'PUT', body: dump });
  await send(data.uploads.log?.url ?? '', { method: 'PUT', body: log });
  return data;
}

/** Reports without a dump or a log. */
export async function reportMessage({ api, gameUid, buildId }: Target, message: string): Promise<void> {
  await send(`${api}/public/crashes`, {
    method: 'POST',
    headers: { 'x-app-id': gameUid, 'x-build-id': buildId, 'content-type': 'application/json' },
    body: JSON.stringify({ os: 'linux', arch: 'x86_64', message }),
  });
}

/**
 * Reports like an engine's crash reporter: everything in one form. A report with the `id` of an earlier one is a
 * repetition.
 */
export async function reportByEngine(
  { api, gameUid, buildId }: Target,
  metadata: Record<string, string>,
  dump: Uint8Array<ArrayBuffer>,
  id = 'f2f3c6de-3c1b-4c39-9d5c-2b8a8f6b5a11',
): Promise<void> {
  const form = new FormData();
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }));
  form.set('dump', new Blob([dump]), `${id}.dmp`);
  const headers = { 'x-app-id': gameUid, 'x-build-id': buildId };
  await send(`${api}/public/crashes`, { method: 'POST', headers, body: form });
}

/**
 * Reports like Crashpad in Electron and Chromium: a gzipped form, with ids in the URL. Returns the id of the report.
 */
export async function reportByCrashpad(
  { api, gameUid, buildId }: Target,
  annotations: Record<string, string>,
  dump: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(annotations)) form.set(name, value);
  form.set('upload_file_minidump', new Blob([dump]), '9a1f1d7e.dmp');
  const plain = new Response(form);
  const response = await send(`${api}/public/crashes?app_id=${gameUid}&build_id=${buildId}`, {
    method: 'POST',
    headers: { 'content-type': plain.headers.get('content-type') ?? '', 'content-encoding': 'gzip' },
    body: gzipSync(await plain.bytes()),
  });
  return response.text();
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method} ${url} returned ${response.status}: ${await response.text()}`);
  return response;
}
