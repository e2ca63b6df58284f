/** The steps to an account, and into it. */
export { ForgotPassword, ResetPassword } from './signed-out/passwords';
export { InvitationPage } from './signed-out/invitation-page';
export { SecondFactor } from './signed-out/second-factor';
export { SignIn } from './signed-out/sign-in';
export { SignUp, VerifyEmail } from './signed-out/sign-up';
export { Enrol } from './signed-out/enrol';
