// Reads secrets of operators' commands from standard input, because arguments are visible in the list of processes.
import { LIMITS } from '@chauffeur/contract/limits';
import { UsageError } from './fail.ts';

/** The first line, without waiting for the end of the input. */
async function readLine(): Promise<string> {
  let text = '';
  for await (const data of process.stdin.setEncoding('utf8')) {
    text += data;
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/)[0] ?? '';
}

/** Throws UsageError for a password that is too short. */
export async function readPassword(): Promise<string> {
  const password = await readLine();
  if (password.length < LIMITS.passwordMinLength)
    throw new UsageError(`The password on standard input is shorter than ${LIMITS.passwordMinLength} characters.`);
  return password;
}
