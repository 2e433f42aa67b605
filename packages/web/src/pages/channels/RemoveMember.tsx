// Asks for confirmation before a player is removed from the beta.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { listBetaMembers } from '@chauffeur/contract/operations/channels';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Consequences } from './Consequences.tsx';

export type BetaMember = OutputOf<typeof listBetaMembers>['members'][number];

type RemoveMemberProps = {
  member: BetaMember;
  isBusy: boolean;
  error: Error | null;
  onRemove: () => void;
  onClose: () => void;
};

export function RemoveMember({ member, isBusy, error, onRemove, onClose }: RemoveMemberProps) {
  return (
    <ConfirmDialog
      title={`Remove ${member.name} from the beta?`}
      confirmLabel="Remove"
      isBusy={isBusy}
      error={error}
      onConfirm={onRemove}
      onClose={onClose}
    >
      <Consequences
        lines={[
          `${member.name} can no longer download beta builds. Builds they already have keep working.`,
          "They aren't notified, and they can join again on the game's page.",
        ]}
      />
    </ConfirmDialog>
  );
}
