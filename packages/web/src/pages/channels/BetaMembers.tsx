// The beta members of a game, newest first, with a button to remove each.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listBetaMembers, removeBetaMember } from '@chauffeur/contract/operations/channels';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Consequences } from '../../ui/PageLayout.tsx';
import { useMay } from '../../ui/Permitted.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';

export function BetaMembers({ game }: { game: OpenGame }) {
  const [selected, setSelected] = useState<BetaMember | null>(null);
  const queries = useQueryClient();
  const members = usePages(listBetaMembers, { uid: game.game_uid }, (page) => page.members);
  const mayRemove = useMay(removeBetaMember);
  const removing = useMutation({
    mutationFn: (member: BetaMember) => call(removeBetaMember, { uid: game.game_uid, user_id: member.user_id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listBetaMembers.id] }),
  });
  const select = (member: BetaMember) => {
    removing.reset();
    setSelected(member);
  };
  return (
    <>
      <div role="status">
        {removing.isSuccess && <Text size="sm">{removing.variables.name} was removed from the beta.</Text>}
      </div>
      <PagedTable
        label="Beta members"
        list={members}
        columns={memberColumns(mayRemove ? select : null)}
        rowKey={({ user_id }) => user_id}
        skeletonRows={3}
        empty={
          <EmptyState command={<CopyText text={`${location.origin}/g/${game.slug}`} label="link" block />}>
            No beta members yet. Players can join on the game's page once the beta channel has a build
            {game.visibility === 'draft' && " and the game isn't a draft anymore"}. Share its link:
          </EmptyState>
        }
        more="Show older members"
      />
      {selected !== null && (
        <RemoveMember
          member={selected}
          isBusy={removing.isPending}
          error={removing.error}
          onRemove={() => removing.mutate(selected, { onSuccess: () => setSelected(null) })}
          onClose={() => setSelected(null)}
        />
      )}
    </>
  );
}

/** The columns of the list. `onRemove` is null for people who may not remove members. */
function memberColumns(onRemove: ((member: BetaMember) => void) | null): Column<BetaMember>[] {
  const columns: Column<BetaMember>[] = [
    { header: 'Player', className: table.main, cell: ({ name }) => name },
    { header: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} /> },
  ];
  if (onRemove === null) return columns;
  return [
    ...columns,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (member) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Remove ${member.name}`}
          onClick={() => onRemove(member)}
        >
          Remove
        </Button>
      ),
    },
  ];
}

type BetaMember = OutputOf<typeof listBetaMembers>['members'][number];

type RemoveMemberProps = {
  member: BetaMember;
  isBusy: boolean;
  error: Error | null;
  onRemove: () => void;
  onClose: () => void;
};

/** Asks for confirmation before a player is removed from the beta. */
function RemoveMember({ member, isBusy, error, onRemove, onClose }: RemoveMemberProps) {
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
