import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { Organisation } from '../api/answers';
import { keys, refresh } from '../api/queries';
import { call } from '../api/request';
import { Field } from '../components/field';
import { Form, textOf } from '../components/form';
import { Page } from '../components/page';
import { organisationPath } from '../layout/place';
import { useSignedIn } from '../layout/account-context';

/** The first organisation of an account, and further ones. */
export function NewOrganisation(): ReactNode {
  const navigate = useNavigate();
  const { organisations } = useSignedIn();
  const isFirst = organisations.length === 0;
  const submit = async (data: FormData): Promise<void> => {
    const { id } = await call<Organisation>('POST', 'organisations', { name: textOf(data, 'name') });
    await refresh(keys.account);
    await navigate(organisationPath(id, 'clients'));
  };
  return (
    <Page title={isFirst ? 'Create your organisation' : 'New organisation'}>
      <div className="column">
        <p>An organisation owns applications, and its members share them. You become its owner.</p>
        {isFirst && (
          <p className="muted">
            Were you invited to one? Open the link of the invitation mail in place of creating your own.
          </p>
        )}
        <Form submit={submit} action="Create organisation">
          <Field
            name="name"
            label="Name"
            maxLength={100}
            autoComplete="organization"
            required
            hint="Such as the name of your company."
          />
        </Form>
      </div>
    </Page>
  );
}
