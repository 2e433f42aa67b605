// The result of one check of `chauffeur doctor`.

export type CheckName =
  | 'address'
  | 'proxy'
  | 'connection'
  | 'certificate'
  | 'server'
  | 'clock'
  | 'key'
  | 'upload'
  | 'disk';

export type Check = {
  name: CheckName;
  status: 'ok' | 'warning' | 'problem';
  message: string;
  /** What to do, unless the check is ok. */
  remedy: string | null;
};

export function ok(name: CheckName, message: string): Check {
  return { name, status: 'ok', message, remedy: null };
}

export function warning(name: CheckName, message: string, remedy: string): Check {
  return { name, status: 'warning', message, remedy };
}

export function problem(name: CheckName, message: string, remedy: string): Check {
  return { name, status: 'problem', message, remedy };
}
