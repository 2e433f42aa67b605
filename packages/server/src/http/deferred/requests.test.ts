import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeRequest, readRequests } from './requests.ts';

const headOf = (agent: string) => ({
  headers: { 'user-agent': agent, 'x-sentry-auth': 'Sentry sentry_key=a', cookie: 'secret=1' },
  query: new URLSearchParams('sentry_version=7'),
  project: '7',
});

/** The requests of a blob that arrives in pieces of this size. */
async function read(blob: Buffer, size: number) {
  const pieces = async function* () {
    for (let at = 0; at < blob.length; at += size) yield blob.subarray(at, at + size);
  };
  const requests: { operation: string; agent: unknown; cookie: unknown; query: string; body: Buffer }[] = [];
  for await (const { operation, head, body } of readRequests(pieces())) {
    const { 'user-agent': agent, cookie } = head.headers;
    const bytes = Symbol.asyncIterator in body ? Buffer.concat(await Array.fromAsync(body)) : body;
    requests.push({ operation, agent, cookie, query: head.query.toString(), body: bytes });
  }
  return requests;
}

describe('deferred requests', () => {
  it('are read as they were written, in pieces of any size, without headers that nothing reads', async () => {
    const bodies = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(bodies, fc.integer({ min: 1, max: 300 }), async (sent, size) => {
        const blob = sent.map((body, no) => encodeRequest('sentry.store', headOf(`client/${no}`), Buffer.from(body)));
        assert.deepEqual(
          await read(Buffer.concat(blob), size),
          sent.map((body, no) => ({
            ...{ operation: 'sentry.store', agent: `client/${no}`, cookie: undefined },
            ...{ query: 'sentry_version=7', body: Buffer.from(body) },
          })),
        );
      }),
    );
  });

  it('may have a last body that ends with the blob', async () => {
    const body = Buffer.from('{}\n{"type":"event"}\n{}');
    const blob = Buffer.concat([
      encodeRequest('sentry.store', headOf('a'), Buffer.from('1')),
      encodeRequest('sentry.envelope', headOf('b')),
      body,
    ]);
    for (const size of [1, 7, blob.length])
      assert.deepEqual(
        (await read(blob, size)).map(({ agent, body }) => [agent, body.toString()]),
        [
          ['a', '1'],
          ['b', body.toString()],
        ],
      );
  });

  it('are refused if the blob is not whole', async () => {
    const blob = encodeRequest('sentry.store', headOf('a'), Buffer.from('12345'));
    for (let end = 1; end < blob.length; end += 1)
      await assert.rejects(read(blob.subarray(0, end), 16), /no head|cut off/);
  });
});
