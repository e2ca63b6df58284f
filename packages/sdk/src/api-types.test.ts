import type * as contracts from '@tributary/contracts';
import type { z } from 'zod';
import type * as sdk from './index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Whether a request of the package has the fields of the schema, with values that it accepts. */
type Accepts<Input, Sent> = [keyof Sent] extends [keyof Input] ? (Sent extends Input ? true : false) : false;
/** A request as it is sent: dates are texts. */
type Json<Sent> = { [Name in keyof Sent]: Date extends Sent[Name] ? Exclude<Sent[Name], Date> : Sent[Name] };
type Of<Schema extends z.ZodType> = z.infer<Schema>;

/** The compiler checks this: each type of the package equals what the schema of the services yields. */
const equalities: {
  FhirVersion: Equal<sdk.FhirVersion, contracts.FhirVersion>;
  ErrorCode: Equal<Exclude<contracts.ErrorCode, sdk.ErrorCode>, InternalCode>;
  RedirectError: Equal<sdk.RedirectError, contracts.RedirectError>;
  UserWithCode: Equal<sdk.UserWithCode, Of<typeof contracts.userWithCode>>;
  UserList: Equal<sdk.UserList, Of<typeof contracts.userList>>;
  ChangedUser: Equal<sdk.ChangedUser, Of<typeof contracts.changedUser>>;
  TokenResponse: Equal<sdk.TokenResponse, Of<typeof contracts.tokenResponse>>;
  SystemTokenResponse: Equal<sdk.SystemTokenResponse, Of<typeof contracts.systemTokenResponse>>;
  HealthSystemSearchResponse: Equal<sdk.HealthSystemSearchResponse, Of<typeof contracts.healthSystemSearchResponse>>;
  ConnectionList: Equal<sdk.ConnectionList, Of<typeof contracts.connectionList>>;
  ConnectionDetail: Equal<sdk.ConnectionDetail, Of<typeof contracts.connectionDetail>>;
  ConnectLink: Equal<sdk.ConnectLink, Of<typeof contracts.connectLink>>;
  RefreshedConnection: Equal<sdk.RefreshedConnection, Of<typeof contracts.refreshedConnection>>;
  ExportManifest: Equal<sdk.ExportManifest, Of<typeof contracts.exportManifest>>;
  WebhookList: Equal<sdk.WebhookList, Of<typeof contracts.webhookList>>;
  CreatedWebhook: Equal<sdk.CreatedWebhook, Of<typeof contracts.createdWebhook>>;
  ChangedWebhook: Equal<sdk.ChangedWebhook, Of<typeof contracts.changedWebhook>>;
  RotatedWebhookSecret: Equal<sdk.RotatedWebhookSecret, Of<typeof contracts.rotatedWebhookSecret>>;
  TestedWebhook: Equal<sdk.TestedWebhook, Of<typeof contracts.testedWebhook>>;
  WebhookDeliveryList: Equal<sdk.WebhookDeliveryList, Of<typeof contracts.deliveryList>>;
  ReplayedWebhooks: Equal<sdk.ReplayedWebhooks, Of<typeof contracts.replayed>>;
  ReplayedWebhookDelivery: Equal<sdk.ReplayedWebhookDelivery, Of<typeof contracts.replayedDelivery>>;
  WebhookChange: Accepts<z.input<typeof contracts.webhookChange>, sdk.WebhookChange>;
  WebhookReplay: Accepts<z.input<typeof contracts.replayRequest>, Json<sdk.WebhookReplay>>;
  WebhookDeliveryQuery: Accepts<
    z.input<typeof contracts.deliveryListQuery>,
    Json<Omit<sdk.WebhookDeliveryQuery, 'limit'>>
  >;
  ServiceError: Equal<sdk.ServiceError, Of<typeof contracts.serviceError>>;
  WebhookEventData: Equal<
    sdk.WebhookEventData,
    { [Type in contracts.WebhookEventType]: contracts.WebhookEventData<Type> }
  >;
} = {
  FhirVersion: true,
  ErrorCode: true,
  RedirectError: true,
  UserWithCode: true,
  UserList: true,
  ChangedUser: true,
  TokenResponse: true,
  SystemTokenResponse: true,
  HealthSystemSearchResponse: true,
  ConnectionList: true,
  ConnectionDetail: true,
  ConnectLink: true,
  RefreshedConnection: true,
  ExportManifest: true,
  WebhookList: true,
  CreatedWebhook: true,
  ChangedWebhook: true,
  RotatedWebhookSecret: true,
  TestedWebhook: true,
  WebhookDeliveryList: true,
  ReplayedWebhooks: true,
  ReplayedWebhookDelivery: true,
  WebhookChange: true,
  WebhookReplay: true,
  WebhookDeliveryQuery: true,
  ServiceError: true,
  WebhookEventData: true,
};

/** Codes that no API of applications answers. */
type InternalCode = {
  [Code in contracts.ErrorCode]: (typeof contracts.errorCatalogue)[Code]['apis'][number] extends 'console' | 'internal'
    ? Code
    : never;
}[contracts.ErrorCode];

describe('the types of the package', () => {
  it('equal the schemas of the services', () => {
    expect(Object.values(equalities)).not.toContain(false);
  });
});
