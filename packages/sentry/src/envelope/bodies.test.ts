import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { normalizeEvent, userReportOf } from '../event/normalize.ts';
import { eventOfUnreal, isEventField, isEventPart, MAX_EVENT_PART_BYTES } from './form-parts.ts';
import { MAX_EVENT_BYTES } from './kinds.ts';
import { parseStoreBody } from './store-body.ts';

const EVENT = { message: 'hello', level: 'info' };
const JSON_BYTES = Buffer.from(JSON.stringify(EVENT));

describe('parseStoreBody', () => {
  it('reads JSON, base64 of JSON, and of JSON that was compressed', () => {
    const packed = [JSON_BYTES, deflateSync(JSON_BYTES), deflateRawSync(JSON_BYTES)];
    for (const body of [
      JSON_BYTES,
      Buffer.from(`\n ${JSON_BYTES}`),
      ...packed.map((each) => Buffer.from(each.toString('base64'))),
    ])
      assert.deepEqual(parseStoreBody(body), EVENT);
  });

  it('is undefined for anything else, and for what decodes to too much', () => {
    const bomb = deflateSync(Buffer.alloc(MAX_EVENT_BYTES + 1, 0x20));
    for (const body of [
      Buffer.alloc(0),
      Buffer.from('what?'),
      Buffer.from(bomb.toString('base64')),
      Buffer.alloc(MAX_EVENT_BYTES + 1, 0x7b),
    ])
      assert.equal(parseStoreBody(body), undefined);
  });

  it('throws nothing', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseStoreBody(bytes)));
  });
});

describe('parts of a form', () => {
  it('belong to the event or not', () => {
    for (const name of [
      '__sentry-event',
      '__sentry-breadcrumb1',
      '__sentry-breadcrumb2',
      'sentry',
      'sentry[tags][a]',
      'sentry__1',
      'sentry___initialScope',
    ])
      assert.equal(isEventPart(name), true, name);
    for (const name of ['upload_file_minidump', 'guid', 'prod', 'sentry_log', '__sentry-other', 'sentry-trace'])
      assert.equal(isEventPart(name), false, name);
    assert.equal(isEventField('__sentry-event'), false);
    assert.ok(MAX_EVENT_PART_BYTES < MAX_EVENT_BYTES);
  });

  it("has the event in an Unreal game's data", () => {
    assert.equal(normalizeEvent(eventOfUnreal(JSON.stringify({ release: 'a@1', user: { id: 42 } }))).userId, '42');
    assert.equal(eventOfUnreal(''), undefined);
    assert.equal(eventOfUnreal('{'), undefined);
  });
});

describe('userReportOf', () => {
  it('names the event that it is about', () => {
    const eventId = '0123456789abcdef0123456789abcdef';
    const report = userReportOf({
      event_id: eventId,
      name: ' Ann\n',
      email: 'ann@example.com',
      comments: ' it broke ',
    });
    assert.deepEqual(report, { message: 'it broke', name: 'Ann', email: 'ann@example.com', eventId });
    for (const value of [null, {}, { comments: ' ' }, { comments: {} }, []]) assert.equal(userReportOf(value), null);
  });
});
