import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressProblem, SDKS, unrealAddress } from './sdks.ts';

const DSN = 'https://0123456789abcdef0123456789abcdef@games.example.com/42';

describe('the lines of SDKs', () => {
  it('contain the DSN, or the address made from it', () => {
    for (const { name, steps } of SDKS) {
      const lines = steps.map((step) => step.lines({ dsn: DSN, release: 'owls@1.2.0' })).join('\n');
      assert.ok(lines.includes(DSN), name);
      assert.doesNotMatch(lines, /undefined|\[object/, name);
    }
    assert.equal(new Set(SDKS.map(({ id }) => id)).size, SDKS.length);
  });

  it('have the address of the crash reporter of Unreal Engine, also below a folder', () => {
    const path = 'api/42/unreal/0123456789abcdef0123456789abcdef/';
    assert.equal(unrealAddress(DSN), `https://games.example.com/${path}`);
    const below = DSN.replace('.com/', '.com:8443/base/');
    assert.equal(unrealAddress(below), `https://games.example.com:8443/base/${path}`);
  });
});

describe('addressProblem', () => {
  it('finds addresses that players cannot reach, or not from everywhere', () => {
    const of = (address: string) => addressProblem(`${address.replace('//', '//key@')}/42`);
    assert.equal(of('https://games.example.com'), null);
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:8080', 'games.localhost'])
      for (const scheme of ['http', 'https']) assert.match(of(`${scheme}://${host}`) ?? '', /Only this computer/);
    assert.match(of('http://games.example.com:8080') ?? '', /not encrypted/);
    assert.equal(of('https://localhost.example.com'), null);
  });
});
