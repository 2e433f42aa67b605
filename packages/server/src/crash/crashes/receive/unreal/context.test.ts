import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detailsOfContext, elementOf } from './context.ts';

describe('an element of the context', () => {
  for (const [xml, text] of [
    ['<A>x</A>', 'x'],
    ['<A> x\n</A><A>y</A>', 'x'],
    ['<A></A>', ''],
    ['<B>x</B>', ''],
    ['<A>x', ''],
    ['<A>', ''],
    ['<A>x<B/></A>', ''],
    ['<A>&lt;&gt;&amp;&quot;&apos;</A>', `<>&"'`],
    ['<A>&#65;&#x1F631;&#x110000;</A>', 'A😱&#x110000;'],
    ['<A>&amp;lt; &nbsp; &</A>', '&lt; &nbsp; &'],
    ['<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><A>&e;</A>', '&e;'],
  ] as const) {
    it(`is ${JSON.stringify(text)} in ${xml}`, () => assert.equal(elementOf(xml, 'A'), text));
  }

  it('is found quickly in a large text of opening tags', () => {
    const started = performance.now();
    elementOf('<A>'.repeat(1_000_000), 'A');
    assert.ok(performance.now() - started < 500);
  });
});

for (const [platform, os] of [
  ['WindowsNoEditor', 'windows'],
  ['Win64', 'win'],
  ['LinuxServer', 'linux'],
  ['Mac', 'mac'],
  ['IOS', 'ios'],
  ['PS5', 'PS5'],
] as const) {
  it(`maps ${platform} to ${os}`, () =>
    assert.equal(detailsOfContext(`<PlatformName>${platform}</PlatformName>`, []).os, os));
}

it("keeps nothing about the player's account or machine", () => {
  const ids = ['LoginId', 'MachineId', 'EpicAccountId', 'UserName'].map((name) => `<${name}>secret</${name}>`);
  assert.doesNotMatch(JSON.stringify(detailsOfContext(ids.join(''), [])), /secret/);
});
