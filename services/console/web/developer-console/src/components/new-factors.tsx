import { startRegistration } from '@simplewebauthn/browser';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FactorAdded, TotpSetup } from '../api/answers';
import { call } from '../api/request';
import { Answer } from './answer';
import { Copyable } from './copy-button';
import { Field } from './field';
import { Form, textOf } from './form';
import { TotpField, ofBrowser } from './second-factor-form';

export interface NewFactorProps {
  /** Runs a request, after asking for a second factor where the last one is too long ago. */
  confirmed: <Result>(action: () => Promise<Result>) => Promise<Result>;
  /** @param codes the recovery codes that come with the first second factor */
  done: (codes: string[] | undefined) => Promise<void> | void;
  more?: ReactNode;
}

/** Adds an authenticator app: its secret as a QR code and as text, and a code of it. */
export function NewTotp({ confirmed, done, more }: NewFactorProps): ReactNode {
  const setup = useQuery({
    queryKey: ['totp-setup'],
    queryFn: () => confirmed(() => call<TotpSetup>('POST', 'account/totp')),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const submit = async (data: FormData): Promise<void> => {
    const body = { code: textOf(data, 'code') };
    const added = await confirmed(() => call<FactorAdded>('POST', 'account/totp/confirm', body));
    await done(added.recovery_codes);
  };
  return (
    <Answer query={setup} lines={6}>
      {({ secret, qr_code: image }) => (
        <>
          <p>Scan this with an authenticator app, such as that of your password manager.</p>
          <img
            className="qr-code"
            src={`data:image/svg+xml,${encodeURIComponent(image)}`}
            alt="QR code of the key below"
            width="200"
            height="200"
          />
          <p>
            Or enter the key: <Copyable text={secret} what="the key" />
          </p>
          <Form submit={submit} action="Add" fieldOf={{ invalid_code: 'code' }} more={more}>
            <TotpField />
          </Form>
        </>
      )}
    </Answer>
  );
}

/** Adds a passkey. */
export function NewPasskey({ confirmed, done, more }: NewFactorProps): ReactNode {
  const submit = async (data: FormData): Promise<void> => {
    type Options = Parameters<typeof startRegistration>[0]['optionsJSON'];
    // As a whole: after another sign-in the options are others.
    const added = await confirmed(async () => {
      const optionsJSON = await call<Options>('POST', 'account/passkeys/options');
      const response = await ofBrowser(startRegistration({ optionsJSON }));
      return call<FactorAdded>('POST', 'account/passkeys', { name: textOf(data, 'name'), response });
    });
    await done(added.recovery_codes);
  };
  return (
    <Form submit={submit} action="Add" more={more}>
      <Field
        name="name"
        label="Name"
        maxLength={100}
        autoComplete="off"
        autoFocus
        required
        hint="So that you recognise it later, such as “Work laptop”. Then your browser asks you to make the passkey."
      />
    </Form>
  );
}
