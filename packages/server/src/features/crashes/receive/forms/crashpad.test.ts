import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isFromCrashpad, type SentForm } from './crashpad.ts';

const form = (sent: Partial<SentForm>): SentForm => ({
  headers: { 'content-length': '100' },
  query: { app_id: 'a', build_id: 'b' },
  fields: new Map([
    ['prod', 'Racer'],
    ['ver', '1.0'],
    ['guid', 'abc'],
  ]),
  ...sent,
});

it('takes the form of Breakpad for Breakpad’s', () => {
  assert.equal(isFromCrashpad(form({})), false);
  assert.equal(isFromCrashpad(form({ headers: { 'content-encoding': 'identity' } })), false);
  assert.equal(isFromCrashpad(form({ query: { guid: ['a', 'b'] } })), false);
});

const SIGNS: Readonly<Record<string, Partial<SentForm>>> = {
  'is packed': { headers: { 'content-encoding': 'GZIP', 'content-length': '100' } },
  'comes in chunks': { headers: { 'transfer-encoding': 'chunked' } },
  'has its annotations in the address': { query: { app_id: 'a', product: 'Racer' } },
  'has the fields of Electron': { fields: new Map([['_productName', 'Racer']]) },
};
for (const [what, sent] of Object.entries(SIGNS))
  it(`takes a form that ${what} for Crashpad’s`, () => assert.equal(isFromCrashpad(form(sent)), true));
