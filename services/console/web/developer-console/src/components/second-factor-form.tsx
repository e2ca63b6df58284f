import { startAuthentication } from '@simplewebauthn/browser';
import { type ReactNode, useState } from 'react';
import type { Account } from '../api/answers';
import { ApiError, call } from '../api/request';
import { Field } from './field';
import { Form, textOf } from './form';

type Method = 'passkey' | 'totp' | 'recovery_code';

const labels: Record<Method, string> = {
  passkey: 'Use a passkey',
  totp: 'Use a code of the authenticator app',
  recovery_code: 'Use a recovery code',
};

export interface SecondFactorFormProps {
  factors: Account['second_factors'];
  /** After the factor was accepted. */
  done: () => Promise<void>;
}

/** Asks for one of the second factors that an account has. */
export function SecondFactorForm({ factors, done }: SecondFactorFormProps): ReactNode {
  const methods: Method[] = [
    ...(factors.passkeys.length > 0 ? (['passkey'] as const) : []),
    ...(factors.totp ? (['totp'] as const) : []),
    ...(factors.recovery_codes_left > 0 ? (['recovery_code'] as const) : []),
  ];
  const [method = 'totp', choose] = useState(methods[0]);
  const submit = async (data: FormData): Promise<void> => {
    if (method === 'passkey') await signInWithPasskey();
    else await call('POST', `sign-in/${method === 'totp' ? 'totp' : 'recovery-code'}`, { code: textOf(data, 'code') });
    await done();
  };
  return (
    <>
      <Form
        key={method}
        submit={submit}
        action={method === 'passkey' ? 'Use a passkey' : 'Continue'}
        fieldOf={{ invalid_code: 'code' }}
      >
        {method === 'passkey' && <p>Your browser asks for the passkey.</p>}
        {method === 'totp' && <TotpField />}
        {method === 'recovery_code' && (
          <Field
            name="code"
            label="Recovery code"
            autoComplete="off"
            spellCheck={false}
            autoFocus
            required
            hint="Each code works once."
          />
        )}
      </Form>
      {methods.length > 1 && (
        <ul className="ways">
          {methods
            .filter((other) => other !== method)
            .map((other) => (
              <li key={other}>
                <button type="button" className="link" onClick={() => choose(other)}>
                  {labels[other]}
                </button>
              </li>
            ))}
        </ul>
      )}
    </>
  );
}

export function TotpField(): ReactNode {
  return (
    <Field
      name="code"
      label="Six-digit code"
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="\s*\d{6}\s*"
      title="Enter the six digits that the app shows."
      maxLength={8}
      autoFocus
      required
      hint="From your authenticator app."
    />
  );
}

async function signInWithPasskey(): Promise<void> {
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];
  const optionsJSON = await call<Options>('POST', 'sign-in/passkey/options');
  const response = await ofBrowser(startAuthentication({ optionsJSON }));
  await call('POST', 'sign-in/passkey', { response });
}

/** What the browser has asked a passkey for. @throws ApiError that says what to do when it was not given */
export async function ofBrowser<Response>(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked;
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw new ApiError(
      0,
      'no_passkey',
      isKnown
        ? 'this device has a passkey of your account already: use that one, or another device'
        : 'the browser gave no passkey: it was cancelled, or took too long. Try again',
    );
  }
}
