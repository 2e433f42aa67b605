// Says why launches are unrated if there are only sessions of Sentry's SDKs.
import { Text } from '@mantine/core';

type Known = {
  /** The devices whose launches are known. */
  readonly devices: number;
  readonly crash_free: { readonly sdk_sessions: number };
};

export function isOnlySessions({ devices, crash_free: { sdk_sessions: sessions } }: Known): boolean {
  return devices === 0 && sessions > 0;
}

export function OnlySessions({ of }: { of: 'build' | 'version' }) {
  return (
    <Text size="sm">
      This {of} has sent nothing but sessions of Sentry's SDKs. They don't say whether the game reached its menu, so its
      launches are unrated. To rate them, also send the event <code>boot_ok</code>.
    </Text>
  );
}
