import type { RouteResponse } from '@tributary/service-kit';
import { apiPath, jsonBody, refusal } from '../common-routes';
import type { Dependencies } from '../dependencies';

export function operatorPath(path: string): string {
  return apiPath(`operator/${path}`);
}

export const noOperator: RouteResponse = refusal(
  'There is no such thing, or the account is not one of an operator.',
  'not_found',
);

/** What all routes that read have in common, and all that change something. The audit log has each call. */
export function commonOf({ authentications, limits }: Dependencies) {
  const common = { tags: ['Operators'], limits: limits.session } as const;
  return {
    reads: {
      ...common,
      method: 'get',
      authentication: authentications.operator,
      audit: { kind: 'operator.request', action: 'R' },
    },
    changes: {
      ...common,
      authentication: authentications.recentOperator,
      audit: { kind: 'operator.request', action: 'U' },
      bodyTypes: jsonBody,
    },
    refusals: {
      403: refusal('The last second factor is over ten minutes ago.', 'sign_in_again', 'invalid_origin'),
      404: noOperator,
    },
  } as const;
}
