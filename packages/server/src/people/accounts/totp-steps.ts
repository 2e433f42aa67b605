// Finds which time step a code of an authenticator app belongs to (RFC 6238).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The steps are those of the plugin for second factors: codes of six digits that change every 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** The plugin accepts the previous and the next code, too, because clocks differ. */
const ACCEPTED_STEPS = [0, -1, 1];

/**
 * The step of a code that is valid at a time in milliseconds; null if it isn't. `secret` is the text in the database.
 */
export function findStep(secret: string, code: string, now: number): number | null {
  const current = Math.floor(now / STEP_MS);
  const sent = Buffer.from(code);
  const isCodeOf = (step: number) => {
    const expected = Buffer.from(codeOfStep(secret, step));
    return expected.length === sent.length && timingSafeEqual(expected, sent);
  };
  return ACCEPTED_STEPS.map((offset) => current + offset).find(isCodeOf) ?? null;
}

/** RFC 4226, section 5.3, with the step as its counter. */
export function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac[mac.length - 1]! & 0xf) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}
