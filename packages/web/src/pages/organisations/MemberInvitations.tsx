// Open invitations to an organisation, and the form that sends a new one.
import {
  inviteMember,
  listMemberInvitations,
  resendMemberInvitation,
  withdrawMemberInvitation,
} from '@chauffeur/contract/operations/organisations';
import { mayGrant, ROLE_NAMES, type Role } from '@chauffeur/contract/roles';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { type Change, InvitationParts } from '../games/Invitations.tsx';
import type { Organisation } from './organisation.ts';

export function MemberInvitations({ organisation }: { organisation: Organisation }) {
  const uid = organisation.organisation_uid;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(ask(listMemberInvitations, { organisation: uid }));
  const changing = useMutation({
    mutationFn: async (change: Change): Promise<unknown> => {
      if (change.kind === 'invite')
        return call(inviteMember, { organisation: uid, email: change.email, role: change.role });
      const target = { organisation: uid, invitation_uid: change.invitation.invitation_uid };
      return change.kind === 'resend' ? call(resendMemberInvitation, target) : call(withdrawMemberInvitation, target);
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [listMemberInvitations.id] }),
  });
  const roles: readonly Role[] = ROLE_NAMES.filter((role) => mayGrant(organisation.role, role));
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <InvitationParts
        title="Invite a member"
        roles={roles}
        invitations={data?.invitations ?? []}
        changing={changing}
      />
    </>
  );
}
