// Traces of the real server, received by a real collector: what they contain, what they never contain, and that a
// collector can't hold up the service.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Collector, type ReceivedSpan, startCollector } from './setup/collector.ts';
import { makeSender, onlyReportOf, reportWithDump } from './setup/crashes.ts';
import { makeGame, signIn, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { formOf, register, shipAndScan, smallZip, upload, uploadFields } from './setup/uploads.ts';

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

describe('traces', () => {
  let collector: Collector;
  let server: TestServer;
  /** What no span may contain. */
  const secrets: string[] = [];

  before(async () => {
    collector = await startCollector();
    server = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
    const game = await makeGame(server);
    secrets.push(game.keyHeaders['x-secret-key'], game.owner.email, game.owner.password);
    const { cookie } = await signIn(server, game.owner);
    secrets.push(cookie);
    await shipAndScan(server, game);
    const sender = await makeSender(server);
    await reportWithDump(sender, Buffer.from('not a dump'), 'the message of a player');
    await until(async () => (await onlyReportOf(sender)).state === 'failed');
    await fetch(`${server.api}/public/games/${game.slug}?search=a-query-text`, {
      headers: { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` },
    });
    await fetch(`${server.api}/public/shelves?search=unsampled`, {
      headers: { traceparent: `00-${CALLER.trace.replace('0', '1')}-${CALLER.span}-00` },
    });
    // Sends the remaining spans.
    await server.stop();
  });
  after(() => collector.stop());

  const named = (name: string) => {
    const span = collector.spans.find((candidate) => candidate.name === name);
    assert.ok(span, `no span ${name} in ${[...new Set(collector.spans.map((other) => other.name))].join(', ')}`);
    return span;
  };
  /** The names of all spans below a span. */
  const below = ({ spanId }: ReceivedSpan): string[] =>
    collector.spans.filter(({ parentId }) => parentId === spanId).flatMap((child) => [child.name, ...below(child)]);

  test('show an upload: the request, the blob, the transaction, and the job of its scan', () => {
    const request = named('uploads.file');
    assert.deepEqual(
      [request.attributes['http.request.method'], request.attributes['http.response.status_code']],
      ['POST', 201],
    );
    const parts = below(request);
    for (const name of ['blob append', 'complete upload', 'blob complete', 'transaction', 'insert rate_counters'])
      assert.ok(parts.includes(name), `${name} in ${parts.join(', ')}`);
    const job = named('job scans:scan');
    const recorded = collector.spans.find(({ spanId }) => job.links.includes(spanId));
    assert.equal(recorded?.traceId, request.traceId);
    assert.ok(below(job).includes('scan'));
  });

  test('show a crash report: the request, its batch, and the stages of its job', () => {
    assert.ok(below(named('crashes.create')).includes('write batch'));
    assert.ok(below(named('crashes.upload')).includes('blob put'));
    assert.ok(below(named('job crashes:process')).includes('crash walk'));
  });

  test('continue the trace of the caller, which also decides whether to record it', () => {
    const request = named('store.game');
    assert.deepEqual([request.traceId, request.parentId], [CALLER.trace, CALLER.span]);
    assert.deepEqual(
      collector.spans.filter(({ name }) => name === 'store.shelf'),
      [],
    );
  });

  test('never contain secrets, addresses, queries, statements or what clients sent', () => {
    const text = collector.text();
    for (const secret of [...secrets, 'a-query-text', 'the message of a player', '127.0.0.1', 'game.txt'])
      assert.ok(!text.includes(secret), secret);
    assert.doesNotMatch(text, /select\s[\s\S]{0,200}\sfrom\s/i);
  });
});

test('a collector that does not respond delays neither requests nor the stop', { timeout: 30_000 }, async () => {
  const collector = await startCollector();
  collector.hang();
  const server = await startServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  try {
    const game = await makeGame(server);
    const zip = smallZip();
    const begun = performance.now();
    assert.equal(
      (await upload(server, game, formOf(uploadFields(await register(server, game), zip), zip))).status,
      201,
    );
    assert.ok(performance.now() - begun < 5000);
  } finally {
    const begun = performance.now();
    await server.stop();
    assert.ok(performance.now() - begun < 10_000);
    await collector.stop();
  }
});
