// Asks before the page is left while a secret is on it that was not copied.
import { UnsavedWarning } from './UnsavedWarning.tsx';

type SecretWarningProps = { isActive: boolean /** What the secret is: `secret key`. */; label: string };

export function SecretWarning({ isActive, label }: SecretWarningProps) {
  return (
    <UnsavedWarning
      isActive={isActive}
      isTyped={false}
      title={`Leave without the ${label}?`}
      leaveLabel="Leave without it"
    >
      {`You haven't copied the ${label}, and you won't see it again.`}
    </UnsavedWarning>
  );
}
