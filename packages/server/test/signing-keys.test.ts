// The keys that sign what clients install: as clients read them, and as the operator replaces them.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { keyIdOf, messageOf, rotateSigningKey, signMessage } from '../src/ship/signing-keys/signing-keys.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

type Key = { key_id: string; public_key: string; previous: { key_id: string; signature: string } | null };

async function readKeys(): Promise<Key[]> {
  const response = await fetch(`${server.url}/.well-known/chauffeur-keys.json`);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  const { keys } = (await response.json()) as { keys: Key[] };
  return keys;
}

/** Any client does the same: it makes the key from its 32 bytes. */
function isSignedBy(key: Key, message: Uint8Array, signature: Uint8Array): boolean {
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.public_key }, format: 'jwk' });
  return verify(null, message, publicKey, signature);
}

const rotate = (...args: string[]) =>
  runServerCommand(environmentOf(server), ['admin', 'signing-key', 'rotate', ...args, '--json']);

test('the first key is made once, when several requests ask for it', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, readKeys));
  assert.equal(new Set(answers.map((keys) => JSON.stringify(keys))).size, 1);
  const [key, ...others] = answers[0]!;
  assert.equal(others.length, 0);
  assert.equal(key?.previous, null);
  assert.equal(keyIdOf(Buffer.from(key?.public_key ?? '', 'base64url')), key?.key_id);
});

test('a signature is valid for its purpose, message and key only', async () => {
  const { keyId, bytes } = await signMessage(server.ctx, 'statement', Buffer.from('a build'));
  const key = (await readKeys()).find(({ key_id }) => key_id === keyId)!;
  assert.ok(isSignedBy(key, Buffer.from('chauffeur statement 1\na build'), bytes));
  assert.ok(!isSignedBy(key, messageOf('statement', Buffer.from('another build')), bytes));
  assert.ok(!isSignedBy(key, messageOf('signing key', Buffer.from('a build')), bytes));
});

test('the operator replaces the key, and the old key vouches for the new one', async () => {
  const [old] = await readKeys();
  const { code, stdout, stderr } = await rotate();
  assert.equal(code, 0, stderr);
  const [newest, second] = await readKeys();
  assert.deepEqual(JSON.parse(stdout), { key_id: newest?.key_id, previous_key_id: old?.key_id });
  assert.deepEqual(second, old);
  assert.equal(newest?.previous?.key_id, old?.key_id);
  const publicKey = Buffer.from(newest?.public_key ?? '', 'base64url');
  assert.ok(
    isSignedBy(old!, messageOf('signing key', publicKey), Buffer.from(newest!.previous!.signature, 'base64url')),
  );
});

test('two rotations at once add one key', async () => {
  const before = await readKeys();
  const results = await Promise.all([1, 2].map(() => rotateSigningKey(server.ctx, { withoutSuccession: false })));
  const added = results.filter((result) => result !== null).length;
  const keys = await readKeys();
  assert.equal(keys.length, before.length + added);
  const { keyId } = await signMessage(server.ctx, 'statement', Buffer.from('a build'));
  assert.equal(keyId, keys[0]?.key_id);
});

test('a key of another secret signs nothing, and is replaced without a succession only', async () => {
  await changed(server.ctx.db, sql`update signing_keys set sealed_private_key = '\\x00'`);
  const refused = await rotate();
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /sealed with another secret/);
  const replaced = await rotate('--without-succession');
  assert.equal(replaced.code, 0, replaced.stderr);
  assert.equal((await readKeys())[0]?.previous, null);
});
