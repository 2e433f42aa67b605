import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailboxOf } from '../../people/emails/emails.ts';

test('variants of an address have one mailbox', () => {
  for (const [mailbox, variants] of [
    ['ada@example.com', ['ada@example.com', ' Ada@EXAMPLE.com ', 'ada+1@example.com', 'ada+a+b@example.com.']],
    ['adalove@gmail.com', ['Ada.Love@gmail.com', 'a.d.a.l.o.v.e+x@googlemail.com', 'adalove@GMAIL.COM']],
    ['ada@xn--nda.example', ['ada@ö.example', 'ada+1@XN--NDA.example', 'ADA@Ö.example']],
  ] as const)
    for (const variant of variants) assert.equal(mailboxOf(variant), mailbox, variant);
});

test('different addresses have different mailboxes', () => {
  const addresses = ['ada@example.com', 'a.da@example.com', 'ada@example.org', '+ada@example.com', '+bob@example.com'];
  assert.equal(new Set(addresses.map(mailboxOf)).size, addresses.length);
});
