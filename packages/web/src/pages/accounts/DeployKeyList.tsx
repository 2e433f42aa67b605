// A list of active deploy keys and upload tokens with the games they belong to.
import { Code, List } from '@mantine/core';
import { t } from '../../texts.tsx';

type DeployKeyListProps = {
  keys: readonly { game_uid: string; name: string; key_ref: string; upload_token: string | null }[];
};

export function DeployKeyList({ keys }: DeployKeyListProps) {
  return (
    <List size="sm">
      {keys.map((key) => (
        <List.Item key={`${key.game_uid} ${key.key_ref}`}>
          {key.name} <Code>{key.key_ref}…</Code>
          {key.upload_token !== null && ` (${t('reset.deployKeys.token', { token: key.upload_token })})`}
        </List.Item>
      ))}
    </List>
  );
}
