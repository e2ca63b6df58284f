#!/bin/sh
# issue-certificates FOLDER [PUBLIC_NAME]: issues a certificate to each container of docker-compose.yml, from a new authority
# whose key is not kept, into FOLDER. Run it again before the certificates end: it replaces them all, and the authority before
# stays in ca.crt behind the new one. With PUBLIC_NAME it also issues public.crt, which clients trust only with ca.crt; without
# it, put the certificate of a public authority there.
set -eu
umask 077
folder=${1:?usage: issue-certificates.sh FOLDER [PUBLIC_NAME]}
public=${2:-}
days=${CERTIFICATE_DAYS:-365}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }

key "$work/ca.key"
# Of two authorities with one name, OpenSSL would take the first one for the issuer of every certificate.
openssl req -x509 -new -key "$work/ca.key" -subj "/CN=Tributary internal authority $(openssl rand -hex 4)" -days "$days" \
  -out "$work/ca.crt" \
  -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign'

# issue SUBJECT NAME [SECOND_NAME]
issue() {
  subject=$1 name=$2 names="DNS:$2${3:+,DNS:$3}"
  key "$work/$subject.key"
  openssl req -new -key "$work/$subject.key" -subj "/CN=$name" -out "$work/request"
  # A service uses one certificate as a server and as a client.
  printf '%s\n' 'basicConstraints=critical,CA:FALSE' 'keyUsage=critical,digitalSignature' \
    'extendedKeyUsage=serverAuth,clientAuth' "subjectAltName=$names" >"$work/extensions"
  openssl x509 -req -in "$work/request" -CA "$work/ca.crt" -CAkey "$work/ca.key" -set_serial "0x$(openssl rand -hex 15)" \
    -days "$days" -extfile "$work/extensions" -out "$work/$subject.crt" 2>/dev/null
}

mkdir -p "$folder"
for subject in auth search user-management fhir-store analytics-export ingestion-worker audit-log mcp-server console \
  documentation gateway postgres redis; do
  issue "$subject" "$subject"
done
[ -z "$public" ] || issue public "$public"
# For a trial: services reach the sandbox by the one name, and browsers by the other.
for subject in sandbox-health-system sandbox-mail; do
  issue "$subject" "$subject" "$public"
done
rm -f "$work/ca.key" "$work/request" "$work/extensions"
# The certificates in use are of the authority before, until all are replaced.
if openssl x509 -in "$folder/ca.crt" -noout -checkend 0 >/dev/null 2>&1; then
  openssl x509 -in "$folder/ca.crt" >>"$work/ca.crt"
fi
for file in "$work"/*; do
  mv "$file" "$folder/"
done
echo "the certificates in $folder are valid for $days days"
