// An authenticator app (RFC 6238), and signing in with it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type Account, cookieOf, postAuth, trySignIn } from './accounts.ts';
import type { TestServer } from './server.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The secret in the address of a QR code. */
export function secretOf(totpUri: string): Buffer {
  const bits = [...(new URL(totpUri).searchParams.get('secret') ?? '')]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code that the app shows at a time in milliseconds. */
export function codeAt(secret: Buffer, time = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 0xf) & 0x7f_ff_ff_ff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The code that the app shows next. It is accepted early, because clocks differ, and the current one works only once. */
export function nextCode(secret: Buffer): string {
  return codeAt(secret, Date.now() + 30_000);
}

/** A code that is neither current nor close to it. */
export function wrongCode(secret: Buffer): string {
  const near = [-60_000, -30_000, 0, 30_000, 60_000].map((offset) => codeAt(secret, Date.now() + offset));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code))!;
}

export type App = { secret: Buffer; backupCodes: string[]; cookie: string };

/** Adds an authenticator app to an account and confirms it. Returns it with the cookie of the new session. */
export async function addApp(server: TestServer, account: Account & { cookie: string }): Promise<App> {
  const { cookie, password } = account;
  const enabled = await postAuth(server, '/two-factor/enable', { password }, { cookie });
  assert.equal(enabled.status, 200, await enabled.clone().text());
  const { totpURI, backupCodes } = (await enabled.json()) as { totpURI: string; backupCodes: string[] };
  const secret = secretOf(totpURI);
  const confirmed = await postAuth(server, '/two-factor/verify-totp', { code: codeAt(secret) }, { cookie });
  assert.equal(confirmed.status, 200, await confirmed.clone().text());
  return { secret, backupCodes, cookie: cookieOf(confirmed) };
}

/** Signs in with the password only. Returns the cookies of a sign-in that waits for the second factor. */
export async function enterPassword(server: TestServer, account: Account): Promise<string> {
  const response = await trySignIn(server, account);
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as { twoFactorRedirect?: boolean }).twoFactorRedirect, true);
  return response.headers
    .getSetCookie()
    .filter((cookie) => !/Max-Age=0/i.test(cookie))
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
