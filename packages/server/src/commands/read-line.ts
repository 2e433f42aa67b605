// Reads secrets of operators' commands from standard input, because arguments are visible in the list of processes.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
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

/** Asks for a line in a terminal. What is typed is not shown if `isHidden`. Throws UsageError after Ctrl-C. */
async function askInTerminal(prompt: string, { isHidden = false } = {}): Promise<string> {
  const output = isHidden ? new Writable({ write: (_bytes, _encoding, done) => done() }) : process.stderr;
  // It reads keys one by one, and the terminal itself shows nothing from here on.
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  if (isHidden) process.stderr.write(prompt);
  try {
    return await terminal.question(prompt);
  } catch {
    throw new UsageError('Nothing was changed.');
  } finally {
    terminal.close();
    if (isHidden) process.stderr.write('\n');
  }
}

/**
 * Throws UsageError with the question unless `isConfirmed`, or the person types `answer` in a terminal. A program has to
 * confirm with an option.
 */
export async function confirm(question: string, answer: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new UsageError(`${question} To confirm, add --yes.`);
  process.stderr.write(`${question}\n`);
  const typed = await askInTerminal(`Type ${answer} to confirm: `);
  if (typed.trim() !== answer) throw new UsageError('Nothing was changed.');
}

/** Read from a terminal without showing it. Throws UsageError for a password that is too short. */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askInTerminal('Password: ', { isHidden: true }) : await readLine();
  if (password.length < LIMITS.passwordMinLength)
    throw new UsageError(`The password on standard input is shorter than ${LIMITS.passwordMinLength} characters.`);
  return password;
}
