import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CrashInput } from '@chauffeur/contract/operations/crash-reports';
import { findProblem } from '@chauffeur/contract/validate';
import fc from 'fast-check';
import { acceptReport } from './accept.ts';
import { clientRefOf, clip, detailsOf, detailsOfAnnotations } from './details.ts';
import { readEngineMetadata } from './form.ts';

const ids = { appId: '01a1fe67-c5fc-7ba4-b21c-87d0d12281e7', buildId: '01a1fe67-c647-745d-ba4d-1e62e50c1b37' };
const anyText = fc.string({ unit: 'binary', maxLength: 200 });

describe('details of a crash reporter', () => {
  it('are valid for any form', () => {
    const fields = fc.array(
      fc.tuple(fc.oneof(anyText, fc.constantFrom('prod', 'ver', '_version', '__proto__')), anyText),
      { maxLength: 90 },
    );
    fc.assert(
      fc.property(fields, fc.nat(3), (fieldsSent, times) => {
        const longer = fieldsSent.map(([name, value]) => [name, value.repeat(times * 10)] as const);
        const verdict = acceptReport({ ...ids, body: detailsOfAnnotations(new Map(longer), ['something']) });
        assert.ok('accepted' in verdict, JSON.stringify(verdict));
      }),
    );
  });

  it('are valid for any metadata of an engine', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.jsonValue(), { maxKeys: 90 }), (fieldsSent) => {
        const verdict = acceptReport({ ...ids, body: readEngineMetadata(JSON.stringify(fieldsSent)).details([]) });
        assert.ok('accepted' in verdict, JSON.stringify(verdict));
      }),
    );
  });

  it('have nested values as text, of any depth', () => {
    const depth = 100_000;
    const deep = `{"a":{"b":[1]},"c":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const { metadata } = readEngineMetadata(deep).details([]);
    assert.deepEqual(metadata, { a: '{"b":[1]}', c: '['.repeat(1024) });
  });

  it("include the metadata of an engine that sends the API's shape", () => {
    const fieldsSent = { message: 'm', anonymous: true, metadata: { gpu: 'RTX' }, build_channel: 'beta' };
    const { message, anonymous, metadata } = readEngineMetadata(JSON.stringify(fieldsSent)).details([]);
    assert.deepEqual(
      { message, anonymous, metadata },
      { message: 'm', anonymous: true, metadata: { build_channel: 'beta', gpu: 'RTX' } },
    );
  });

  it('have a note about what was left out', () => {
    const further = Array.from({ length: 70 }, (_, no) => [`k${no}`, no] as const);
    const { metadata = {} } = detailsOf({ further, omissions: ['The log was too large.'] });
    assert.equal(Object.keys(metadata).length, 64);
    assert.equal(metadata.chauffeur_omitted, 'The log was too large. 7 more fields were left out.');
  });
});

describe('clip', () => {
  it('cuts between characters', () => {
    assert.equal(clip('a😱b😱c', 3), 'a😱b');
    assert.equal(clip('abc', 3), 'abc');
  });

  it('removes characters that PostgreSQL rejects', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), fc.integer({ min: 1, max: 20 }), (units, max) => {
        const text = clip(String.fromCharCode(...units), max);
        assert.equal(findProblem(CrashInput, { message: text }), null);
        assert.ok([...text].length <= max);
      }),
    );
  });
});

describe("a client's own id", () => {
  for (const name of [
    '6fa459ea-ee8a-4ca4-894e-db77e160355e.dmp',
    '6FA459EAEE8A4CA4894EDB77E160355E',
    '{6fa459ea-ee8a-4ca4-894e-db77e160355e}.DMP',
    '1f2e3d4c-5b6a-7988-0a1b2c3d-4e5f6071.dmp',
    '6fa459ea-ee8a-4ca4-894e-db77e160355e.dmp.gz',
  ])
    it(`is ${name}`, () => assert.equal(typeof clientRefOf(name), 'string'));
  for (const name of [
    '',
    'dump.dmp',
    'upload_file_minidump',
    '12345678.dmp',
    '1f2e3d4c-5b6a-7988-0a1b2c3d-4e5f607.dmp',
    '1f2e3d4c-5b6a-79880a1b2c3d-4e5f6071.dmp',
    '6fa459ea-ee8a-4ca4-894e-db77e160355e.dmp.zip',
  ])
    it(`is not ${JSON.stringify(name)}`, () => assert.equal(clientRefOf(name), null));
});
