# frozen_string_literal: true

# Verifies Tapedeck's webhooks with Ruby's standard library and openssl (Ruby 3.0 or newer).
#
# Give the raw bytes of the body: request.raw_post in Rails, request.body.read in Sinatra and Rack.
# `headers` is a hash of names and values. In Rack and Rails they are in the request's env, by names such as
# HTTP_X_TAPEDECK_SIGNATURE:
#
#   headers = request.env.filter_map { |key, value| [key[5..].tr("_", "-"), value] if key.start_with?("HTTP_") }.to_h
#
# `secrets` is an array of strings, of one where none is being rotated. Each function gives the index of the secret that matched,
# or nil: answer 401 then.

require "openssl"

module TapedeckWebhook
  TOLERANCE_SECONDS = 300

  module_function

  # X-<Vendor>-Signature: sha256=<hex>
  def verify_folder(body, headers, secrets, vendor: "Tapedeck")
    check(secrets)
    given = header(headers, "X-#{vendor}-Signature")
    match(text_keys(secrets), "", body, [given]) { |digest| ["sha256=#{hex(digest)}"] }
  end

  # X-Webhook-Signature: hex, sha256=<hex> or base64
  def verify_audit(body, headers, secrets)
    check(secrets)
    given = header(headers, "X-Webhook-Signature")
    match(text_keys(secrets), "", body, [given]) { |digest| [hex(digest), "sha256=#{hex(digest)}", [digest].pack("m0")] }
  end

  # Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature
  def verify_standard(body, headers, secrets, now: Time.now)
    check(secrets)
    id = header(headers, "webhook-id")
    timestamp = header(headers, "webhook-timestamp")
    return nil unless id.match?(%r{\A[!-\-/-~]+\z}) && timestamp.match?(/\A(?:0|[1-9][0-9]{0,14})\z/)

    entries = header(headers, "webhook-signature").split(/,? +/).select { |entry| entry.start_with?("v1,") }
    return nil if entries.length > 16

    keys = secrets.map { |secret| whsec_key(secret) }
    index = match(keys, "#{id}.#{timestamp}.", body, entries) { |digest| ["v1,#{[digest].pack('m0')}"] }
    (now.to_i - timestamp.to_i).abs <= TOLERANCE_SECONDS ? index : nil
  end

  def check(secrets)
    valid = secrets.is_a?(Array) && secrets.all?(String)
    raise TypeError, "secrets must be an array of strings" unless valid
  end

  def header(headers, name)
    _, value = headers.find { |key, _| key.casecmp?(name) }
    # As bytes: a pattern raises an error where a string is no UTF-8.
    value.nil? ? "" : value.b
  end

  def text_keys(secrets)
    secrets.map(&:b)
  end

  def whsec_key(secret)
    return secret.b unless secret.start_with?("whsec_")

    text = secret.delete_prefix("whsec_").sub(/=+\z/, "")
    return "" unless text.match?(%r{\A[A-Za-z0-9+/]*\z}) && text.length % 4 != 1

    text.unpack1("m")
  end

  def hex(digest)
    digest.unpack1("H*")
  end

  # Compares everything, in constant time; refuses an empty key, also where another one matches.
  def match(keys, prefix, body, given)
    return nil if keys.empty? || keys.any?(&:empty?)

    found = nil
    keys.each_with_index do |key, index|
      digest = OpenSSL::HMAC.digest("SHA256", key, prefix.b + body.b)
      yield(digest).each do |expected|
        given.each do |value|
          equal = expected.bytesize == value.bytesize && OpenSSL.fixed_length_secure_compare(expected.b, value.b)
          found ||= index if equal
        end
      end
    end
    found
  end
end
