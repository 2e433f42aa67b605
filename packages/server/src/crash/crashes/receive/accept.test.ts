import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CrashInput } from '@chauffeur/contract/operations/crash-reports';
import { findProblem } from '@chauffeur/contract/validate';
import fc from 'fast-check';
import { canonicalProcessor, canonicalSystem } from '../report/fields.ts';
import { ACCEPTANCE_RULES, acceptReport, cleanReport } from './accept.ts';

const appId = '01A1FE67-c5fc-7ba4-b21c-87d0d12281e7';
const buildId = '01a1fe67-c647-745d-ba4d-1e62e50c1b37';

const ruleOf = (claim: Partial<Parameters<typeof acceptReport>[0]>) => {
  const verdict = acceptReport({ appId, buildId, body: {}, ...claim });
  return 'refused' in verdict ? verdict.refused.rule : null;
};

describe('accept', () => {
  it('returns the fields of the client, with ids in lowercase', () => {
    const body = { message: 'boom' };
    assert.deepEqual(acceptReport({ appId, buildId, body }), {
      accepted: { gameId: appId.toLowerCase(), buildId, details: body },
    });
  });

  it('refuses by the first rule that objects', () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, no) => [`${no}`.repeat(70), 'x']));
    const refused = [
      ruleOf({ appId: '', buildId: 'x', body: null }),
      ruleOf({ buildId: 'x', body: null }),
      ruleOf({ body: [] }),
      ruleOf({ body: { metadata: many, has_dump: 1 } }),
      ruleOf({ body: { has_dump: 1 } }),
    ];
    assert.deepEqual(
      refused,
      ACCEPTANCE_RULES.map(({ name }) => name),
    );
    assert.equal(ruleOf({}), null);
  });
});

for (const [reported, name] of [
  ['Windows 11', 'windows'],
  ['win32', 'windows'],
  ['WINNT', 'windows'],
  ['macOS', 'macos'],
  ['Mac OS X 10.15', 'macos'],
  ['Darwin', 'macos'],
  ['Linux/x86', 'linux'],
  ['iPhone OS', 'ios'],
  ['HTML5', 'web'],
  ['Haiku', 'haiku'],
  ['constructor', 'constructor'],
  ['__proto__', '__proto__'],
  ['', ''],
] as const) {
  it(`maps the OS ${JSON.stringify(reported)} to ${JSON.stringify(name)}`, () =>
    assert.equal(canonicalSystem(reported), name));
}

it('maps processors to the names of builds', () => {
  assert.deepEqual(['AMD64', 'x64', 'aarch64', ' riscv64 '].map(canonicalProcessor), [
    'x86_64',
    'x86_64',
    'arm64',
    'riscv64',
  ]);
});

const omittedOf = (body: object) =>
  (cleanReport({ ...body }) as { metadata?: Record<string, unknown> }).metadata?.chauffeur_omitted;

describe('cleanReport', () => {
  it('returns a clean report unchanged', () => {
    const report = {
      has_dump: true,
      message: 'boom',
      device_uid: 'device-1',
      attachments: [{ name: 'a.png', size: 3 }, { name: 'b.png' }],
      metadata: { level: 3, '': null, tutorial: false, ['😱'.repeat(64)]: '😱'.repeat(1024) },
    };
    assert.deepEqual(cleanReport(report), report);
    assert.deepEqual(cleanReport({}), {});
  });

  it('cuts long texts and says so', () => {
    const report = cleanReport({ message: 'm'.repeat(2000), os: 'x'.repeat(65), metadata: { a: 'y'.repeat(1025) } });
    assert.equal(report.message, 'm'.repeat(1024));
    assert.equal(report.os, 'x'.repeat(64));
    assert.deepEqual(report.metadata, {
      a: 'y'.repeat(1024),
      chauffeur_omitted:
        'os was cut to 64 characters. message was cut to 1024 characters. Values were cut to 1024 characters.',
    });
  });

  it('removes characters that cannot be stored and says so', () => {
    assert.equal(cleanReport({ message: 'a\0b\ud800' }).message, 'ab\ufffd');
    assert.equal(omittedOf({ message: 'a\0' }), "message had characters that can't be stored.");
    assert.equal(omittedOf({ metadata: { 'k\0': 1 } }), "Keys or values had characters that can't be stored.");
  });

  it('keeps nested values of the metadata as JSON, however deep', () => {
    const deep = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
    const { metadata } = cleanReport({ metadata: { pos: { x: 1, y: [2] }, deep } }) as {
      metadata: Record<string, string>;
    };
    assert.equal(metadata.pos, '{"x":1,"y":[2]}');
    assert.equal(metadata.deep, '['.repeat(1024));
    assert.equal(metadata.chauffeur_omitted, 'Nested values were kept as JSON of up to 1024 characters.');
  });

  it('reads a hundred announced attachments, and says so', () => {
    const attachments = Array.from({ length: 101 }, (_, number) => ({ name: `${number}.png` }));
    const report = cleanReport({ attachments });
    assert.deepEqual(report.attachments, attachments.slice(0, 100));
    assert.deepEqual(report.metadata, { chauffeur_omitted: 'Only the first 100 attachments were read.' });
  });

  it('keeps all keys that are the same once they are cut', () => {
    const key = 'k'.repeat(70);
    const { metadata } = cleanReport({ metadata: { [`${key}1`]: 1, [`${key}2`]: 2 } }) as { metadata: object };
    assert.deepEqual(Object.entries(metadata).slice(0, 2), [
      ['k'.repeat(64), 1],
      [`${'k'.repeat(62)}~2`, 2],
    ]);
  });

  it('keeps an invalid id as metadata, and takes numbers for texts and null for nothing', () => {
    const report = cleanReport({
      device_uid: 'my device',
      session_id: 17,
      app_version: 1.5,
      message: null,
      has_dump: null,
    });
    assert.deepEqual(report, {
      app_version: '1.5',
      session_id: '17',
      metadata: {
        device_uid: 'my device',
        chauffeur_omitted: 'device_uid is not a valid id and was kept as metadata.',
      },
    });
  });

  it('corrects names of attachments', () => {
    const attachments = [{ name: 'C:\\saves\\a.sav' }, { name: 'a.sav', size: 1.5 }, { name: '', size: Infinity }];
    assert.deepEqual(cleanReport({ attachments }).attachments, [
      { name: 'a.sav' },
      { name: 'a (2).sav', size: 2 },
      { name: 'file', size: Number.MAX_SAFE_INTEGER },
    ]);
  });

  it('makes every report of texts and nested values valid', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    const report = fc.record(
      {
        message: text.map((part) => part.repeat(20)),
        user_message: text,
        os: text,
        app_version: fc.oneof(text, fc.double(), fc.constant(null)),
        device_uid: fc.oneof(text, fc.integer()),
        session_id: text,
        attachments: fc.array(fc.record({ name: text, size: fc.double(), content_type: fc.jsonValue() })),
        metadata: fc.dictionary(text, fc.oneof(fc.jsonValue(), fc.double()), { maxKeys: 64 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(fc.property(report, (body) => assert.equal(findProblem(CrashInput, cleanReport(body)), null)));
  });
});
