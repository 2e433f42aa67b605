// A list of active deploy keys with the games they belong to.
import { Code, List } from '@mantine/core';

type DeployKeyListProps = { keys: readonly { game_uid: string; name: string; key_ref: string }[] };

export function DeployKeyList({ keys }: DeployKeyListProps) {
  return (
    <List size="sm">
      {keys.map((key) => (
        <List.Item key={key.game_uid}>
          {key.name} <Code>{key.key_ref}…</Code>
        </List.Item>
      ))}
    </List>
  );
}
