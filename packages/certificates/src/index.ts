export { type Certificate, type IssuedCertificates, issueCertificates } from './issue-certificates';
