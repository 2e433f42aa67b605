// Decides by the name of a function whether its thread waits, on any OS.

/** Functions of operating systems that block, and system calls behind them. Prefixes such as `__` are ignored. */
const WAITING = [
  // Windows: ntdll, kernelbase, win32u.
  /^(?:nt|zw)(?:waitfor|delayexecution|removeiocompletion|signalandwait|waitforkeyedevent|waitforalertbythreadid|replywaitreceiveport|usergetmessage|userwaitmessage)/i,
  /^(?:sleep|sleepex|waitforsingleobject|waitformultipleobjects|getqueuedcompletionstatus|sleepconditionvariable|getmessage|waitmessage|msgwaitformultipleobjects)/i,
  // Linux and Android: libc and bionic.
  /^(?:futex|pthread_cond_(?:timed)?wait|pthread_join|poll|ppoll|epoll_p?wait|select|pselect|nanosleep|clock_nanosleep|usleep|pause|sigwait|sigtimedwait|sem_(?:timed)?wait|accept|recv|recvmsg|recvfrom|waitpid|wait4|lll_lock_wait|syscall_cancel)/,
  // macOS and iOS: libsystem_kernel.
  /^(?:mach_msg|psynch_|semaphore_(?:timed)?wait|ulock_wait|workq_kernreturn|kevent|semwait_signal|sigsuspend|accept|select)/,
];

export function isWaiting(functionName: string): boolean {
  // The functions of an OS have no namespaces.
  if (functionName.includes('::')) return false;
  const name = functionName.replace(/^(?:_+|GI_+|libc_|private_)+/i, '').replace(/^(?:GI_+|libc_)/, '');
  return WAITING.some((pattern) => pattern.test(name));
}
