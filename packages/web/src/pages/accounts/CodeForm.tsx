// The second step of a sign-in: a code of the authenticator app, or a backup code.
import { Anchor, Checkbox, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { enterCode } from '../../account-calls.ts';
import { t } from '../../texts.tsx';
import { AccountForm } from './AccountForm.tsx';

type CodeFormProps = { onSignedIn: () => Promise<void>; onRestart: () => void };

export function CodeForm({ onSignedIn, onRestart }: CodeFormProps) {
  const [code, setCode] = useState('');
  const [isBackup, setBackup] = useState(false);
  const [trustDevice, setTrust] = useState(false);
  const entering = useMutation({ mutationFn: () => enterCode({ code, isBackup, trustDevice }), onSuccess: onSignedIn });
  const change = () => {
    setBackup(!isBackup);
    setCode('');
    entering.reset();
  };
  return (
    <AccountForm
      title={t('signIn.code')}
      submitLabel={t('signIn.title')}
      isBusy={entering.isPending}
      error={entering.error}
      onSubmit={() => entering.mutate()}
      footer={
        <Text size="sm">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {t(isBackup ? 'signIn.code.app' : 'signIn.code.backup')}
          </Anchor>
          {' · '}
          <Anchor component="button" type="button" size="sm" onClick={onRestart}>
            {t('signIn.code.restart')}
          </Anchor>
        </Text>
      }
    >
      <CodeField key={String(isBackup)} isBackup={isBackup} value={code} onChange={setCode} />
      <Checkbox
        label={t('signIn.code.trust')}
        checked={trustDevice}
        onChange={(event) => setTrust(event.currentTarget.checked)}
      />
    </AccountForm>
  );
}

type CodeFieldProps = { isBackup?: boolean; value: string; onChange: (value: string) => void };

export function CodeField({ isBackup = false, value, onChange }: CodeFieldProps) {
  return (
    <TextInput
      data-field="code"
      label={t(isBackup ? 'field.backupCode' : 'field.code')}
      description={t(isBackup ? 'field.backupCode.hint' : 'field.code.hint')}
      autoComplete={isBackup ? 'off' : 'one-time-code'}
      inputMode={isBackup ? 'text' : 'numeric'}
      maxLength={20}
      required
      withAsterisk={false}
      autoFocus
      w="100%"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
