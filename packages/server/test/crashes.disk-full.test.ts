// A full disk under a real server: requests are refused clearly, leave nothing behind, and succeed again when there is
// room.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { crashBlobs, idHeaders, makeSender, onlyReportOf, report, reportsOf } from './setup/crashes.ts';
import { filePart, multipartOf } from './setup/raw.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { mountSmallDisk, unmountSmallDisk } from './setup/small-disk.ts';
import { unrealArchive } from './setup/unreal.ts';

const DISK_BYTES = 4 * MIB;
const LARGE = Buffer.concat([Buffer.from('MDMP'), randomBytes(6 * MIB)]);
const SMALL = LARGE.subarray(0, MIB);

let server: TestServer;
let disk: string | null = null;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  disk = mountSmallDisk(join(server.dataFolder, 'blobs'), DISK_BYTES);
});
after(async () => {
  if (disk !== null) unmountSmallDisk(disk);
  await server.stop();
});

function send(path: string, body: Uint8Array, headers: Record<string, string>, method = 'POST'): Promise<ApiResponse> {
  const url = path.startsWith('http') ? path : `${server.api}${path}`;
  return request(url, { method, headers, body: body as Uint8Array<ArrayBuffer> });
}

function assertFull(response: ApiResponse): void {
  assert.deepEqual([response.status, response.body.error?.code], [507, 5070], JSON.stringify(response.body));
}

test('an upload is refused with 5070, and its address can be used again', async (t) => {
  if (disk === null) return t.skip('skipped: this account cannot mount a disk');
  const sender = await makeSender(server);
  const { url } = (await report(sender, { has_dump: true })).body.data.uploads.dump;
  assertFull(await send(url, LARGE, {}, 'PUT'));
  assert.deepEqual(await crashBlobs(server), []);
  assert.equal((await send(url, SMALL, {}, 'PUT')).status, 200);
  await server.ctx.blobs.delete((await onlyReportOf(sender)).dump_key ?? '');
});

test('a complete report is refused with 5070 and not stored; a later one that fits is stored', async (t) => {
  if (disk === null) return t.skip('skipped: this account cannot mount a disk');
  const sender = await makeSender(server);
  const form = (dump: Uint8Array) => multipartOf([filePart(dump, { name: 'upload_file_minidump', filename: 'a.dmp' })]);
  const headers = { ...idHeaders(sender), 'content-type': 'multipart/form-data; boundary=B' };
  const archive = deflateSync(unrealArchive([{ name: 'a.dmp', content: LARGE }], { marked: true }));
  assertFull(await send('/public/crashes', form(LARGE), headers));
  assertFull(await send('/public/crashes/unreal', archive, idHeaders(sender)));
  assert.deepEqual([await reportsOf(sender), await crashBlobs(server)], [[], []]);
  const response = await fetch(`${server.api}/public/crashes`, {
    method: 'POST',
    headers,
    body: form(SMALL) as Uint8Array<ArrayBuffer>,
  });
  assert.equal(response.status, 200);
  assert.equal((await onlyReportOf(sender)).dump_size, SMALL.length);
});
