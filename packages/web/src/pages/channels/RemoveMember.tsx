// Asks before a player is taken out of the beta, and says what that means for them.
import { Button, Group, Stack } from '@mantine/core';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { BetaMember } from './BetaMembers.tsx';
import { Consequences } from './Consequences.tsx';

type RemoveMemberProps = {
  member: BetaMember;
  busy: boolean;
  error: Error | null;
  onRemove: () => void;
  onClose: () => void;
};

export function RemoveMember({ member, busy, error, onRemove, onClose }: RemoveMemberProps) {
  return (
    <Dialog title={`Remove ${member.name} from the beta?`} onClose={onClose}>
      <Stack gap="sm">
        <Consequences
          lines={[
            `${member.name} is not offered the beta channel any more; what they downloaded stays with them.`,
            'They are not told, and may join again on the game’s page: it is no ban.',
          ]}
        />
        {error !== null && <Problem error={error} again={onRemove} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep them
          </Button>
          <Button color="red.9" loading={busy} onClick={onRemove}>
            Remove
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
