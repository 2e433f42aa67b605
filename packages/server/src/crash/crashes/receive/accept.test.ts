import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ACCEPTANCE_RULES, accept, canonicalProcessor, canonicalSystem } from './accept.ts';

const appId = '01A1FE67-c5fc-7ba4-b21c-87d0d12281e7';
const buildId = '01a1fe67-c647-745d-ba4d-1e62e50c1b37';

const ruleOf = (claim: Partial<Parameters<typeof accept>[0]>) => {
  const verdict = accept({ appId, buildId, body: {}, ...claim });
  return 'refused' in verdict ? verdict.refused.rule : null;
};

describe('accept', () => {
  it('returns the fields of the client, with ids in lowercase', () => {
    const body = { message: 'boom' };
    assert.deepEqual(accept({ appId, buildId, body }), {
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
