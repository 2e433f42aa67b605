// Crashes from Unreal Engine's CrashReportClient on a real server: archives with and without the marker, complete and
// truncated.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import {
  blobOf,
  type CrashSender,
  countJobs,
  idHeaders,
  makeSender,
  onlyReportOf,
  orphansOf,
  reportsOf,
} from './setup/crashes.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { type ArchiveFile, unrealArchive } from './setup/unreal.ts';

const DUMP = Buffer.concat([Buffer.from('MDMP'), randomBytes(200_000)]);
const LOG = Buffer.from('LogInit: started\nLogWindows: Error: crashed\n');
const CONTEXT = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<FGenericCrashContext>
<RuntimeProperties>
<CrashGUID>UECC-Windows-0123456789ABCDEF0123456789ABCDEF_0000</CrashGUID>
<IsEnsure>false</IsEnsure>
<CrashType>Crash</CrashType>
<GameName>UE-Racer</GameName>
<PlatformName>WindowsClient</PlatformName>
<PlatformFullName>Win64 [Windows 11]</PlatformFullName>
<EngineVersion>5.3.2-0+++UE5+Release-5.3</EngineVersion>
<ErrorMessage>Assertion failed: Index &lt; Num &amp;&amp; &quot;x&quot; &#33;</ErrorMessage>
<UserDescription>I drove into the tunnel</UserDescription>
<MachineId>0123456789ABCDEF</MachineId>
<LoginId>player-one</LoginId>
</RuntimeProperties>
</FGenericCrashContext>`);
const FILES: readonly ArchiveFile[] = [
  { name: 'CrashContext.runtime-xml', content: CONTEXT },
  { name: 'CrashReportClient.ini', content: Buffer.from('[x]') },
  { name: 'Racer.log', content: LOG },
  { name: 'UEMinidump.dmp', content: DUMP },
];
const QUERY = 'AppID=CrashReporter&AppVersion=5.3&AppEnvironment=Release&UploadType=crashreports&UserID=a%7Cb%7Cc';

let server: TestServer;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  assert.deepEqual(orphans, []);
});

function post(
  { game, buildId }: CrashSender,
  body: Uint8Array,
  query = `?app_id=${game.uid}&build_id=${buildId}&${QUERY}`,
  type = 'application/octet-stream',
): Promise<ApiResponse> {
  return request(`${server.api}/public/crashes/unreal${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

for (const marked of [true, false]) {
  describe(`an archive ${marked ? 'with the marker' : 'of older engines, whose header is at the end'}`, () => {
    test('creates a report with context, log and dump, queued for processing', async () => {
      const sender = await makeSender(server);
      const { status, body } = await post(sender, deflateSync(unrealArchive(FILES, { marked })));
      assert.equal(status, 201, JSON.stringify(body));
      const row = await onlyReportOf(sender);
      const { source, state, app_name, app_version, engine_version, os, message, user_message, metadata } = row;
      assert.deepEqual(
        { source, state, app_name, app_version, engine_version, os, message, user_message, metadata },
        {
          source: 'unreal',
          state: 'queued',
          app_name: 'Racer',
          app_version: '1.4.2',
          engine_version: '5.3.2-0+++UE5+Release-5.3',
          os: 'windows',
          message: 'Assertion failed: Index < Num && "x" !',
          user_message: 'I drove into the tunnel',
          metadata: {
            CrashGUID: 'UECC-Windows-0123456789ABCDEF0123456789ABCDEF_0000',
            CrashType: 'Crash',
            PlatformFullName: 'Win64 [Windows 11]',
            IsEnsure: 'false',
          },
        },
      );
      assert.deepEqual(await blobOf(sender, row.dump_key), DUMP);
      assert.deepEqual(await blobOf(sender, row.log_key), LOG);
      assert.equal(await countJobs(sender, 'crashes:process', row.report_id), 1);
    });

    test('without a dump creates a report with its message', async () => {
      const sender = await makeSender(server);
      assert.equal((await post(sender, deflateSync(unrealArchive(FILES.slice(0, 1), { marked })))).status, 201);
      const { dump_key, log_key, message } = await onlyReportOf(sender);
      assert.deepEqual([dump_key, log_key], [null, null]);
      assert.match(message, /Assertion failed/);
    });
  });
}

test('a second question mark in the URL is accepted', async () => {
  const sender = await makeSender(server);
  const { game, buildId } = sender;
  const body = deflateSync(unrealArchive(FILES, { marked: true }));
  assert.equal((await post(sender, body, `?app_id=${game.uid}&build_id=${buildId}?${QUERY}`)).status, 201);
  assert.equal((await reportsOf(sender)).length, 1);
});

test('an invalid content type is accepted', async () => {
  const sender = await makeSender(server);
  const body = deflateSync(unrealArchive(FILES, { marked: true }));
  assert.equal((await post(sender, body, undefined, 'crash report')).status, 201);
  assert.equal((await onlyReportOf(sender)).dump_size, DUMP.length);
});

test('a truncated archive creates a report of its complete files', async () => {
  const sender = await makeSender(server);
  const whole = unrealArchive(FILES, { marked: true });
  assert.equal((await post(sender, deflateSync(whole.subarray(0, -1000)))).status, 201);
  const { dump_key, log_size } = await onlyReportOf(sender);
  assert.deepEqual([dump_key, log_size], [null, LOG.length]);
});

test('a body that is not an archive or is compressed differently is refused', async () => {
  const sender = await makeSender(server);
  const archive = unrealArchive(FILES, { marked: true });
  const bodies = [
    archive,
    Buffer.alloc(0),
    deflateSync(Buffer.alloc(0)),
    deflateSync(randomBytes(5000)),
    deflateSync(archive).subarray(0, 900),
  ];
  for (const body of bodies) {
    const response = await post(sender, body);
    assert.deepEqual([response.status, response.body.error?.code], [400, 4001], `${body.length}`);
  }
  assert.deepEqual(await reportsOf(sender), []);
});

test('an archive that decompresses to more than allowed is refused', { timeout: 60_000 }, async () => {
  const sender = await makeSender(server);
  const response = await post(sender, deflateSync(Buffer.alloc(300 * MIB), { level: 1 }));
  assert.deepEqual([response.status, response.body.error?.code], [413, 4043]);
});

test('an archive without ids is refused; they may be in headers', async () => {
  const sender = await makeSender(server);
  const body = deflateSync(unrealArchive(FILES, { marked: true }));
  assert.equal((await post(sender, body, `?${QUERY}`)).body.error?.code, 4010);
  const response = await request(`${server.api}/public/crashes/unreal`, {
    method: 'POST',
    headers: idHeaders(sender),
    body: body as Uint8Array<ArrayBuffer>,
  });
  assert.equal(response.status, 201);
});
