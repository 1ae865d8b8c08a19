# The approval loop as its author published it, for readers to copy: three calls, and a branch that only an approval
# reaches. The test puts its own server in the place of the address, defines send_email, and changes nothing else.

# 1. Propose the action
ACTION=$(curl -s -X POST https://api.impri.dev/v1/actions \
  -H "Authorization: Bearer $IMPRI_API_KEY" \
  -d '{"kind":"email.send","title":"Outreach: Acme","preview":{"format":"markdown","body":"Hi Sarah, ..."}}')
ID=$(echo "$ACTION" | jq -r .action_id)

# 2. Poll until a human decides
while true; do
  DECISION=$(curl -s "https://api.impri.dev/v1/actions/$ID" \
    -H "Authorization: Bearer $IMPRI_API_KEY")
  STATUS=$(echo "$DECISION" | jq -r .status)
  [ "$STATUS" != "pending" ] && break
  sleep 5
done

# 3. Only now, and only if approved, execute
if [ "$STATUS" = "approved" ]; then
  send_email "$(echo "$DECISION" | jq -r .preview.body)"   # use the human-edited version
fi
