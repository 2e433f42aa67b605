// How a task of a thread fails without its own error.

/** The thread exceeded its time limit and was ended. */
export class ThreadTimeoutError extends Error {
  override readonly name = 'ThreadTimeoutError';
}

/** The thread ended before its task did. */
export class ThreadCrashError extends Error {
  override readonly name = 'ThreadCrashError';
  /**
   * `memory`: the heap was full. `error`: something threw outside the task; see the cause. `exit`: the thread ended by
   * itself.
   */
  readonly reason: 'memory' | 'error' | 'exit';

  constructor(reason: ThreadCrashError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
