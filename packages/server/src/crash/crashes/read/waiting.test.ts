import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isWaiting } from './waiting.ts';

for (const name of [
  'NtWaitForSingleObject',
  'ZwWaitForWorkViaWorkerFactory',
  'NtDelayExecution',
  'NtUserGetMessage',
  '__futex_abstimed_wait_common64',
  'futex_wait',
  '__GI___poll',
  '__libc_accept',
  'pthread_cond_wait@@GLIBC_2.3.2',
  'epoll_wait',
  'mach_msg2_trap',
  '__psynch_cvwait',
  '__workq_kernreturn',
  '__ulock_wait',
])
  it(`waits in ${name}`, () => assert.ok(isWaiting(name)));

for (const name of ['main', 'Sleepwalker::update', 'render::poll_events', 'std::this_thread::sleep_for', 'memcpy', ''])
  it(`does not wait in ${JSON.stringify(name)}`, () => assert.equal(isWaiting(name), false));
