import type { RegistrationCheckStep } from '@tributary/contracts';
import { type ReactNode, useState } from 'react';
import { lines } from '../api/request';
import { Field, SelectField } from '../components/field';
import { Form, textOf } from '../components/form';
import { Failure, Notice } from '../components/notice';
import { Status } from '../components/status';
import { useLastSignal } from '../components/use-last-signal';
import { countText, sentence } from '../text';

type State = 'none' | 'running' | 'ended';

/**
 * Tests the registration at a health system, and shows each step as it ends.
 * @param healthSystem absent: the page asks for it
 */
export function ConnectionTest({ healthSystem }: { healthSystem?: string }): ReactNode {
  const [steps, setSteps] = useState<RegistrationCheckStep[]>([]);
  const [state, setState] = useState<State>('none');
  const [failure, setFailure] = useState<unknown>();
  const test = useLastSignal();
  const run = async (body: { health_system: string; release?: string }): Promise<void> => {
    const signal = test.begin();
    setSteps([]);
    setFailure(undefined);
    setState('running');
    try {
      for await (const step of lines<RegistrationCheckStep>('operator/registration-checks', body, signal)) {
        if (signal.aborted) return;
        setSteps((before) => [...before, step]);
      }
      setState('ended');
    } catch (error) {
      if (signal.aborted) return;
      setState('none');
      if (healthSystem === undefined) throw error;
      setFailure(error);
    }
  };
  return (
    <>
      {healthSystem === undefined ? (
        <Form
          action="Test"
          kind="plain"
          submit={(data) => run({ health_system: textOf(data, 'health_system'), release: textOf(data, 'release') })}
        >
          <div className="form-row">
            <Field
              name="health_system"
              label="Health system"
              hint="Its id in the directory, or a FHIR base URL."
              autoComplete="off"
              spellCheck={false}
              required
            />
            <SelectField
              name="release"
              label="Release of a FHIR base URL"
              options={{ r4: 'R4', stu3: 'STU3', dstu2: 'DSTU2' }}
              defaultValue="r4"
            />
          </div>
        </Form>
      ) : (
        <button
          type="button"
          aria-disabled={state === 'running'}
          onClick={() => state !== 'running' && void run({ health_system: healthSystem })}
        >
          Test the connection
        </button>
      )}
      {failure !== undefined && <Failure error={failure} />}
      <div className="connection-test" role="status" aria-live="polite">
        {steps.length > 0 && <Steps steps={steps} />}
        {state === 'running' && <p className="muted">Testing: {countText(steps.length, 'step')} so far…</p>}
        {state === 'ended' && <Summary steps={steps} />}
      </div>
    </>
  );
}

const results = {
  ok: <Status kind="good">Works</Status>,
  warning: <Status kind="warning">Unusual</Status>,
  failed: <Status kind="bad">Failed</Status>,
};

function Steps({ steps }: { steps: readonly RegistrationCheckStep[] }): ReactNode {
  const nameOf = ({ fhir_base_url: base, fhirVersion: release }: RegistrationCheckStep): string =>
    `${base} (${release})`;
  return [...new Set(steps.map(nameOf))].map((endpoint) => (
    <div key={endpoint}>
      <h3>
        <code>{endpoint}</code>
      </h3>
      <ol className="steps">
        {steps
          .filter((step) => nameOf(step) === endpoint)
          .map(({ step, result, message, advice }) => (
            <li key={step}>
              <div>
                <strong>{sentence(step).slice(0, -1)}</strong> {results[result]}
              </div>
              <p>{withStop(message)}</p>
              {advice !== undefined && <p className="muted">What to do: {advice}.</p>}
            </li>
          ))}
      </ol>
    </div>
  ));
}

/** A message as a sentence. Names such as `client_id` at its beginning stay as they are. */
function withStop(message: string): string {
  return /^[a-z]+_/.test(message) ? `${message}.` : sentence(message);
}

function Summary({ steps }: { steps: readonly RegistrationCheckStep[] }): ReactNode {
  const failed = steps.filter(({ result }) => result === 'failed').length;
  return failed === 0 ? (
    <Notice kind="good">Nothing failed: users can connect, as far as that can be known without one.</Notice>
  ) : (
    <Notice kind="warning">
      {countText(failed, 'step')} failed.{failed > 1 && ' Begin with the first one: later ones can depend on it.'}
    </Notice>
  );
}
